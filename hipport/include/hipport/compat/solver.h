// SPDX-License-Identifier: MIT
// cuSOLVER's headers for hipSOLVER before ROCm 6.0. It has enumerations of its own there for what cuSOLVER takes by those of
// cuBLAS, unless it is told to take hipBLAS's.
#ifndef HIPPORT_COMPAT_SOLVER_H
#define HIPPORT_COMPAT_SOLVER_H

#ifndef HIPSOLVER_USE_HIPBLAS_ENUMS
#define HIPSOLVER_USE_HIPBLAS_ENUMS
#endif

#include <hipsolver/hipsolver.h>

#endif
