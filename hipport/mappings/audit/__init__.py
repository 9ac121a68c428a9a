"""Compares the mapping tables with what headers declare, and answers questions about them."""
