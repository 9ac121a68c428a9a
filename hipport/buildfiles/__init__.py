"""Translate build files along with their sources, or report what is about CUDA in them. Pure: bytes in, bytes out."""
