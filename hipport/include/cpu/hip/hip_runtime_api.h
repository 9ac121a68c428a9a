// SPDX-License-Identifier: MIT
// HIP's host API on the CPU.
#pragma once

#include "../hipport_cpu/copy.h"
#include "../hipport_cpu/pools.h"
#include "../hipport_cpu/textures.h"
#include "../hipport_cpu/function.h"
#include "../hipport_cpu/graph.h"
