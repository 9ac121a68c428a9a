"""Parsing CUDA with a C++ grammar: lexer, shadow, tree, brackets."""
