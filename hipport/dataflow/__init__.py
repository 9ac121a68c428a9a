"""Following values inside a function: which variables hold what, and where it came from. Syntax only, no types."""
