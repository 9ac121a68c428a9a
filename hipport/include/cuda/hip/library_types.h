// SPDX-License-Identifier: MIT
// The data types that libraries have in common. The tables have their names with those of cuBLAS.
#pragma once

#include <library_types.h>

#include <hipport_cuda/names/cublas.h>
