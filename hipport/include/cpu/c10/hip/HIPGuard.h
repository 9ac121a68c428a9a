// SPDX-License-Identifier: MIT
// For extensions of PyTorch: see hipport_cpu/pytorch.h.
#pragma once

#include <hipport_cpu/pytorch.h>
