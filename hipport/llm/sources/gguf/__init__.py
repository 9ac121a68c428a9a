"""Models in GGUF files, llama.cpp's format: one file with weights, shape and tokenizer. Needs the package gguf."""
