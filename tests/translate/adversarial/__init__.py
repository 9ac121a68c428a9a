"""Generated adversarial CUDA programs."""
