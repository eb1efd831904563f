"""What the tests of the fleet share: work for crews, and a real cluster on loopback."""
