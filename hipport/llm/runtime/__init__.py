"""The engine: built, opened, called, and used for generation and conversations."""
