"""Imitate: a person's captured walk on any humanoid."""
