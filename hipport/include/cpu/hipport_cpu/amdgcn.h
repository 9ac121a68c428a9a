// SPDX-License-Identifier: MIT
// The compiler's builtins for AMD GPUs, __builtin_amdgcn_*, but for the matrix instructions.
#pragma once

#include "amdgcn/control.h"
#include "amdgcn/dpp.h"
#include "amdgcn/float.h"
#include "amdgcn/integer.h"
#include "amdgcn/lanes.h"
