// SPDX-License-Identifier: MIT
// HIP's words for launches and symbols.
#pragma once

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

// The kernel's name may hold commas: as an argument it is expanded before it is put into its place.
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  do {                                                               \
    kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__);    \
  } while (0)
