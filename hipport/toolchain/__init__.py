"""Find and describe compilers, HIP, LLVM tools and gfx targets."""
