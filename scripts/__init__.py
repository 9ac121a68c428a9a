"""Tools for maintaining the project; not part of the installed package."""
