// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/half_conversions.h"
#include "../hipport_cpu/half_pairs.h"
