// PTX's griddepcontrol: kernels of a stream that overlap, where the host's launch permits it (CUDA only).
#ifndef HIPPORT_PTX_GRIDS_H
#define HIPPORT_PTX_GRIDS_H

#include "core.h"

namespace hipport {
namespace ptx {

// Waits until the kernels have ended that must end before this one reads what they wrote.
HIPPORT_PTX_DEVICE void wait_for_grids() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next kernel start.
HIPPORT_PTX_DEVICE void launch_dependent_grids() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace ptx
}  // namespace hipport

#endif
