// SPDX-License-Identifier: MIT
// Functions that are the CPU target's, with their C names.
#include <hip/hip_runtime_api.h>

#include "exports.h"

#include "exports.inc"
