"""Finds and describes compilers, HIP, LLVM tools and gfx targets."""
