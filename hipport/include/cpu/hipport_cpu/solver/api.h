// SPDX-License-Identifier: MIT
// hipSOLVER, implemented with this machine's LAPACK library.
#pragma once

#include "eigen.h"
#include "generic.h"
#include "singular.h"
