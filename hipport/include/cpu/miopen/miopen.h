// SPDX-License-Identifier: MIT
#pragma once

// MIOpen's include guard, which sources test.
#define MIOPEN_GUARD_MIOPEN_H_

#include "../hipport_cpu/dnn/api.h"
