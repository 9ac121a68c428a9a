"""Models on disk: Hugging Face folders and GGUF files."""
