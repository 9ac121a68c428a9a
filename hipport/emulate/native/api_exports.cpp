// SPDX-License-Identifier: MIT
// Functions that are the CPU target's, with their C names.
#include <hip/hip_runtime_api.h>

#define EXPORT(result, name, parameters, arguments) \
  result exported_##name parameters asm(#name);     \
  result exported_##name parameters { return ::name arguments; }
#include "exports.inc"
