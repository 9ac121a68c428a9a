// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/cooperative_groups.h"
