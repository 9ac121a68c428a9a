"""Read the GPU code in binaries: offload bundles, code objects, kernels and their resource usage."""

from hipport.codeobject.model import Binary, Bundle, BundleEntry, HostPart, Kernel, MissingKernel, Occupancy
from hipport.codeobject.reader import read

__all__ = ["Binary", "Bundle", "BundleEntry", "HostPart", "Kernel", "MissingKernel", "Occupancy", "read"]
