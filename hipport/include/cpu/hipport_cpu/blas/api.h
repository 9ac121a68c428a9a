// SPDX-License-Identifier: MIT
// hipBLAS, implemented with this machine's BLAS library.
#pragma once

#include "lapack.h"
