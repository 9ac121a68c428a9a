"""hipport: takes a CUDA source tree to AMD GPUs."""

__version__ = "0.1.0"
