// SPDX-License-Identifier: MIT
#pragma once

#include "hip_runtime_api.h"

#include "../hipport_cpu/rtc.h"
#include "../hipport_cpu/unsupported/rtc.h"
