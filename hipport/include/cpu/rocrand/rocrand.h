// SPDX-License-Identifier: MIT
#if defined(ROCRAND_MTGP32_H_)
// The device API, which is templates, asks for its types.
#include_next <rocrand/rocrand.h>
#else
// Stops the compiler with one line: there is no such file.
#include "hipport: the CPU target does not support rocRAND; it has hipRAND"
#endif
