"""Signatures of CUDA's functions and of their counterparts in HIP, and how a call of the first fits the second."""
