// SPDX-License-Identifier: MIT
// hipCUB, mapped to CUB.
#pragma once

#include <hip/hip_runtime.h>

#include <cub/cub.cuh>

namespace hipcub = cub;
