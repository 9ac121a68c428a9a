"""Measures of the machine rather than of a program: what its GPUs reach of what they promise."""
