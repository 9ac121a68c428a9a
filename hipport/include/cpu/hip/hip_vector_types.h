// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/vector_types.h"
