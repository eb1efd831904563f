"""The dialects poise speaks, one file each."""
