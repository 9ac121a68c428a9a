"""The layers of hipport: the table of who may import whom, what is imported, and the picture of both."""
