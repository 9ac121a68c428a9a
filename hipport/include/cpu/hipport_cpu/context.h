// SPDX-License-Identifier: MIT
// Switches between stacks: hand-written for x86-64, AArch64 and RISC-V, Boost.Context elsewhere.
//
// Boost's switch also saves the floating-point modes, for which the processor drains its pipeline; barriers would be
// slow. Threads that wait for each other share these modes. All switches jump to where the fiber continues: a return
// would be mispredicted.
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
