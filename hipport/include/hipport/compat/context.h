// SPDX-License-Identifier: MIT
// `CUctxCreateParams`, a parameter of cuCtxCreate since CUDA 13 that hipCtxCreate lacks, `cuCtxGetId` and `cuCtxDetach`.
#ifndef HIPPORT_COMPAT_CONTEXT_H
#define HIPPORT_COMPAT_CONTEXT_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

// HIP's contexts can be neither limited to some of the processors nor created for graphics. The structure has no
// members, so that code that requests this does not compile.
struct CUctxCreateParams_st {};
typedef struct CUctxCreateParams_st CUctxCreateParams;

namespace hipport {
namespace compat {

#if defined(__clang__)  // HIP's functions of contexts are all deprecated
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

// HIP's contexts are those of the devices and live as long as the program: an address identifies one.
inline hipError_t ctx_get_id(hipCtx_t context, unsigned long long* id) {
  const hipError_t error = context ? hipSuccess : hipCtxGetCurrent(&context);
  if (error == hipSuccess) *id = (unsigned long long)(uintptr_t)context;
  return error;
}

// Nothing attaches to a context again (HIP lacks cuCtxAttach), so that what created it is its only user.
inline hipError_t ctx_detach(hipCtx_t context) { return hipCtxDestroy(context); }

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_CUDA)

#include <cuda.h>

namespace hipport {
namespace compat {

inline CUresult ctx_detach(CUcontext context) { return cuCtxDetach(context); }
#if CUDA_VERSION >= 12000
inline CUresult ctx_get_id(CUcontext context, unsigned long long* id) { return cuCtxGetId(context, id); }
#endif

}  // namespace compat
}  // namespace hipport

#endif

#endif
