"""Generate random HIP kernels, and compare what they compute as emulated machine code with the CPU target."""
