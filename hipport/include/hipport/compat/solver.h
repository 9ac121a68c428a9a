// SPDX-License-Identifier: MIT
// cuSOLVER's headers for hipSOLVER before ROCm 6.0. cuSOLVER uses cuBLAS's enumerations for some parameters; hipSOLVER
// has its own there unless this macro makes it use hipBLAS's.
#ifndef HIPPORT_COMPAT_SOLVER_H
#define HIPPORT_COMPAT_SOLVER_H

#ifndef HIPSOLVER_USE_HIPBLAS_ENUMS
#define HIPSOLVER_USE_HIPBLAS_ENUMS
#endif

#include <hipsolver/hipsolver.h>

#endif
