// SPDX-License-Identifier: MIT
#pragma once

#include "hiprand/hiprand_kernel.h"
