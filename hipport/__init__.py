"""hipport: port CUDA source trees to AMD GPUs."""

__version__ = "0.1.0"
