// SPDX-License-Identifier: MIT
#pragma once

// HIP's include guard, which sources test.
#define HIPRAND_H_

#include "../hipport_cpu/rand/generators.h"
#include "../hipport_cpu/unsupported/hiprand.h"
