// SPDX-License-Identifier: MIT
#pragma once

// MIOpen's include guard, which sources test.
#define MIOPEN_GUARD_MIOPEN_H_

// Sources may include it inside `extern "C"`, as C headers can be.
extern "C++" {
#include "../hipport_cpu/dnn/api.h"
}
