// SPDX-License-Identifier: MIT
// Going from one stack to another: by Boost.Context, and on the usual processors in a way that barriers can afford.
//
// Boost's switch also changes the modes of floating point, before which the processor ends all computations. Threads
// that wait for each other share their modes. All jump to where they go on: a return would be predicted wrongly.
#pragma once

#include <cstddef>

#if !defined(HIPPORT_BOOST_SWITCH)
#if defined(__x86_64__)
#include "switch/x86_64.h"
#elif defined(__aarch64__)
#include "switch/aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_float_abi_double)
#include "switch/riscv64.h"
#else
#define HIPPORT_BOOST_SWITCH 1
#endif
#endif
#if HIPPORT_BOOST_SWITCH
#include "switch/boost.h"
#endif
