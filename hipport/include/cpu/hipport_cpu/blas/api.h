// SPDX-License-Identifier: MIT
// hipBLAS on the BLAS of this machine.
#pragma once

#include "mixed.h"
