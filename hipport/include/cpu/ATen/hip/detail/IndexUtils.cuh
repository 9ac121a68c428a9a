// SPDX-License-Identifier: MIT
// For extensions of PyTorch: its own header, which needs nothing of CUDA.
#pragma once

#include <hipport_cpu/pytorch.h>

#include <ATen/cuda/detail/IndexUtils.cuh>
