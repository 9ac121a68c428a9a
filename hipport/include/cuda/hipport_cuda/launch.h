// SPDX-License-Identifier: MIT
// HIP's macros for launches and symbols.
#pragma once

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

// `kernel` may be HIP_KERNEL_NAME(f<A, B>), with commas: a macro argument is expanded before it is inserted.
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  do {                                                               \
    kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__);    \
  } while (0)
