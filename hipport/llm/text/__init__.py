"""Text and tokens: tokenizers, incremental decoding, and chat templates."""
