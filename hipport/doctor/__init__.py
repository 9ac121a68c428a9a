"""`hipport doctor`: find problems that would make a port fail before its first kernel, and suggest fixes."""
