"""A tiny Linux guest that says on its serial console what it sees."""
