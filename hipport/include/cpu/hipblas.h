// SPDX-License-Identifier: MIT
#pragma once

#include "hipblas/hipblas.h"
