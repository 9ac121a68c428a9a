// SPDX-License-Identifier: MIT
#pragma once

// HIP's include guard, which sources test.
#define HIPSPARSE_H

// Sources may include it inside `extern "C"`, as C headers can be.
extern "C++" {
#include "../hipport_cpu/sparse/api.h"
#include "../hipport_cpu/unsupported/hipsparse.h"
}
