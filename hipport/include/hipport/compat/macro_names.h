// SPDX-License-Identifier: MIT
// Removes the macros of HIP's headers that have common names (`MASK1`, `HW_ID`) and that CUDA's headers do not define.
//
// HIP needs them in the bodies of functions of <hip/hip_runtime.h> only. A file that uses such a name includes this
// header first, so what is removed is never a macro of the project.
#ifndef HIPPORT_COMPAT_MACRO_NAMES_H
#define HIPPORT_COMPAT_MACRO_NAMES_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#undef GETREG_IMMED
#undef HW_ID
#undef HW_ID_CU_ID_OFFSET
#undef HW_ID_CU_ID_SIZE
#undef HW_ID_SA_ID_OFFSET
#undef HW_ID_SA_ID_SIZE
#undef HW_ID_SE_ID_OFFSET
#undef HW_ID_SE_ID_SIZE
#undef HW_ID_WGP_ID_OFFSET
#undef HW_ID_WGP_ID_SIZE
#undef MASK1
#undef MASK2
#undef XCC_ID
#undef XCC_ID_XCC_ID_OFFSET
#undef XCC_ID_XCC_ID_SIZE
#endif

#endif
