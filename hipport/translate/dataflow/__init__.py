"""Data flow inside a function: the values of variables and their origins. Syntax only, no types."""
