// SPDX-License-Identifier: MIT
#pragma once

// By this code tells that it has the library.
#define HIPRAND_H_

#include "../hipport_cpu/rand/generators.h"
#include "../hipport_cpu/unsupported/hiprand.h"
