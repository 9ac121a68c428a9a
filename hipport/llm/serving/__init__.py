"""OpenAI-compatible HTTP server for a model, with continuous batching. Needs `hipport[serve]`."""
