// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/rand/generators.h"
#include "../hipport_cpu/unsupported/hiprand.h"
