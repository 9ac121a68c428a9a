// SPDX-License-Identifier: MIT
// Written by scripts/cpu_unsupported.py: what HIP has and the CPU target has not.
#pragma once

#include "declare.h"

#ifndef HIPPORT_ONLY_SUPPORTED
using hiprandDirectionVectorSet = int;
using hiprandDirectionVectorSet_t = int;
using hiprandDirectionVectors32_t = int;
using hiprandDirectionVectors64_t = int;
struct hiprandDiscreteDistribution_st {
  ::hipport::cpu::Anything alias, cdf, offset, probability, size;
};
using hiprandDiscreteDistribution_t = struct hipport_unsupported_hiprandDiscreteDistribution_t*;
using hiprandStateMtgp32_t = int;
using hiprandStateScrambledSobol32_t = int;
using hiprandStateScrambledSobol64_t = int;
using hiprandStateSobol32_t = int;
using hiprandStateSobol64_t = int;
enum hipport_unsupported_hiprand : int {
  HIPRAND_DEFAULT_MAX_BLOCK_SIZE = 1000,
  HIPRAND_DEFAULT_MIN_WARPS_PER_EU,
  HIPRAND_DIRECTION_VECTORS_32_JOEKUO6,
  HIPRAND_DIRECTION_VECTORS_64_JOEKUO6,
  HIPRAND_KERNEL_H_,
  HIPRAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6,
  HIPRAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6,
  HIPRAND_VERSION,
  hiprandStateMtgp32,
  hiprandStateScrambledSobol32,
  hiprandStateScrambledSobol64,
  hiprandStateSobol32,
  hiprandStateSobol64,
};
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandCreatePoissonDistribution)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandDestroyDistribution)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGenerateChar)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGenerateLogNormalHalf)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGenerateLongLong)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGenerateNormalHalf)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGenerateShort)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGenerateUniformHalf)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGetDirectionVectors32)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGetDirectionVectors64)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGetScrambleConstants32)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandGetScrambleConstants64)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandMakeMTGP32Constants)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandMakeMTGP32KernelState)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprandSetQuasiRandomGeneratorDimensions)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_discrete)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_discrete4)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_log_normal2_double)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_log_normal4)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_log_normal4_double)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_normal4_double)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_poisson4)
HIPPORT_UNSUPPORTED(hiprandStatus_t, HIPRAND_STATUS_NOT_IMPLEMENTED, hiprand_uniform4_double)
#endif
