"""All measurements that need an NVIDIA GPU, by one command."""
