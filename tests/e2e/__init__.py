"""The installed program, end to end."""
