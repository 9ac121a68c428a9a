"""Rules for setup.py, mainly for PyTorch's CUDAExtension, which takes HIP sources if PyTorch is built for ROCm."""

from hipport.buildfiles.setup_py import compilers, extensions, rules

RULES = (rules.run, extensions.run, compilers.run)
