"""Inline PTX: finds `asm` statements, parses the PTX in them and writes it as HIP C++."""
