"""Rewrite kernels so that the threads of a block run together, from one barrier to the next: see `regions`."""
