"""Compare the mapping tables with what headers declare, and answer questions about them."""
