// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/data_types.h"
