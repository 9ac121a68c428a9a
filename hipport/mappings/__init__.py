"""The mapping tables: where a CUDA name meets a HIP name."""
