// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/rand/states.h"

#include "hiprand.h"
