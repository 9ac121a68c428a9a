"""setup.py, above all with PyTorch's CUDAExtension, which takes HIP sources where PyTorch is built for ROCm."""

from hipport.buildfiles.setup_py import rules

RULES = (rules.run,)
