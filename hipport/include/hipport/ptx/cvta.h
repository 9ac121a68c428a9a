// CUDA's functions that convert between generic pointers and addresses in PTX's state spaces.
#ifndef HIPPORT_PTX_CVTA_H
#define HIPPORT_PTX_CVTA_H

#include "memory.h"

#if !defined(__CUDACC__)

// A shared address is the offset in LDS; addresses in the other spaces are generic pointers.
HIPPORT_PTX_DEVICE size_t __cvta_generic_to_shared(const void* pointer) {
  return hipport::ptx::shared_address(pointer);
}
HIPPORT_PTX_DEVICE void* __cvta_shared_to_generic(size_t address) {
  return hipport::ptx::shared_pointer<void>(address);
}
HIPPORT_PTX_DEVICE size_t __cvta_generic_to_global(const void* pointer) { return size_t(pointer); }
HIPPORT_PTX_DEVICE void* __cvta_global_to_generic(size_t address) { return (void*)address; }
HIPPORT_PTX_DEVICE size_t __cvta_generic_to_constant(const void* pointer) { return size_t(pointer); }
HIPPORT_PTX_DEVICE void* __cvta_constant_to_generic(size_t address) { return (void*)address; }
HIPPORT_PTX_DEVICE size_t __cvta_generic_to_local(const void* pointer) { return size_t(pointer); }
HIPPORT_PTX_DEVICE void* __cvta_local_to_generic(size_t address) { return (void*)address; }

#endif

#endif
