// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/fp8.h"
