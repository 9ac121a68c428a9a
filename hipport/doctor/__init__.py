"""Says what would make a port fail before its first kernel, and what to do about each: `hipport doctor`."""
