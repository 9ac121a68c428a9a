"""The layers of hipport: the table of allowed imports, the actual imports, and a picture of both."""
