// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/surfaces.h"
