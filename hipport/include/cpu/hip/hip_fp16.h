// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/half_functions.h"
