"""The configuration of a model and its RoPE table."""
