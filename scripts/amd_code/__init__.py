"""What compilers make of the kernels for AMD GPUs: the table of docs/amd-code.md, and its rules."""
