"""The mapping tables from CUDA names to HIP names."""
