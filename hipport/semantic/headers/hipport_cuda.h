// What a CUDA compiler includes before the first line of a source, for libclang: CUDA's headers (the real ones, or those
// made of the tables), its words, and the functions of the device, which the real headers hide from other compilers.
#pragma once
#if __has_include(<new>)
#include <exception>
#include <new>
#endif
#pragma clang force_cuda_host_device begin
#if __has_include(<cmath>)
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif

#include <cuda_runtime.h>
#include <hipport_words.h>
#include <hipport_any.h>

extern "C" int cudaConfigureCall(dim3 grid, dim3 block, decltype(sizeof(0)) shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, decltype(sizeof(0)) shared = 0,
                                                void* stream = 0);

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
extern const int warpSize;

#define HIPPORT_MIN_MAX(type, first, second) \
  type min(first, second);                   \
  type max(first, second);
#define HIPPORT_WITH_UNSIGNED(type)                            \
  HIPPORT_MIN_MAX(type, type, type)                            \
  HIPPORT_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  HIPPORT_MIN_MAX(unsigned type, unsigned type, type)          \
  HIPPORT_MIN_MAX(unsigned type, type, unsigned type)
HIPPORT_WITH_UNSIGNED(int)
HIPPORT_WITH_UNSIGNED(long)
HIPPORT_WITH_UNSIGNED(long long)
HIPPORT_MIN_MAX(float, float, float)
HIPPORT_MIN_MAX(double, float, double)
HIPPORT_MIN_MAX(double, double, float)
HIPPORT_MIN_MAX(double, double, double)

#include <hipport_device.h>

#define HIPPORT_TEXTURE(name)                          \
  template <class Value = hipport_any, class... Where> \
  Value name(Where&&...);
HIPPORT_TEXTURE(tex1D)
HIPPORT_TEXTURE(tex1Dfetch)
HIPPORT_TEXTURE(tex1DLayered)
HIPPORT_TEXTURE(tex1DLod)
HIPPORT_TEXTURE(tex2D)
HIPPORT_TEXTURE(tex2Dgather)
HIPPORT_TEXTURE(tex2DLayered)
HIPPORT_TEXTURE(tex2DLod)
HIPPORT_TEXTURE(tex2DGrad)
HIPPORT_TEXTURE(tex3D)
HIPPORT_TEXTURE(tex3DLod)
HIPPORT_TEXTURE(texCubemap)
HIPPORT_TEXTURE(surf1Dread)
HIPPORT_TEXTURE(surf1Dwrite)
HIPPORT_TEXTURE(surf2Dread)
HIPPORT_TEXTURE(surf2Dwrite)
HIPPORT_TEXTURE(surf2DLayeredread)
HIPPORT_TEXTURE(surf2DLayeredwrite)
HIPPORT_TEXTURE(surf3Dread)
HIPPORT_TEXTURE(surf3Dwrite)

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
