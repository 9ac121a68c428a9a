"""The engine's tensors: number formats, quantization, packing into tiles, and the cache of packed weights."""
