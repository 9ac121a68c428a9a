// SPDX-License-Identifier: MIT
// Written by scripts/cpu_unsupported.py: what HIP has and the CPU target has not.
#pragma once

#include "declare.h"

#ifndef HIPPORT_ONLY_SUPPORTED
using hiprtcLinkState = struct hipport_unsupported_hiprtcLinkState*;
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcGetBitcode)
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcGetBitcodeSize)
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcLinkAddData)
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcLinkAddFile)
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcLinkComplete)
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcLinkCreate)
HIPPORT_UNSUPPORTED(hiprtcResult, HIPRTC_ERROR_INTERNAL_ERROR, hiprtcLinkDestroy)
#endif
