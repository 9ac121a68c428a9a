// SPDX-License-Identifier: MIT
#pragma once

// RCCL's include guard, which sources test.
#define NCCL_H_

// Sources may include it inside `extern "C"`, as C headers can be.
extern "C++" {
#include "../hipport_cpu/ccl/api.h"
#include "../hipport_cpu/unsupported/rccl.h"
}
