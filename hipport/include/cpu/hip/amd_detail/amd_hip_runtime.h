// SPDX-License-Identifier: MIT
#pragma once
#include "../hip_runtime.h"
