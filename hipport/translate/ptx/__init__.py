"""Inline PTX: finds `asm` statements, parses their PTX and translates it to HIP C++."""
