// SPDX-License-Identifier: MIT
// hipSPARSE, in plain loops. There is no library to build on that distributions package and that covers the generic
// functions: SuiteSparse and Eigen have products of CSR matrices in two types only.
#pragma once

#include "generic.h"
#include "older.h"
