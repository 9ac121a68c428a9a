// SPDX-License-Identifier: MIT
#pragma once

// HIP's include guard, which sources test.
#define HIPRAND_H_

// Sources may include it inside `extern "C"`, as C headers can be.
extern "C++" {
#include "../hipport_cpu/rand/generators.h"
#include "../hipport_cpu/unsupported/hiprand.h"
}
