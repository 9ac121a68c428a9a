// SPDX-License-Identifier: MIT
// `cub::DeviceCopy`, whose header <hipcub/hipcub.hpp> leaves out before ROCm 6.4.
#ifndef HIPPORT_COMPAT_CUB_COPY_H
#define HIPPORT_COMPAT_CUB_COPY_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
// It needs what that includes.
#include <hipcub/device/device_copy.hpp>

#endif

#endif
