// SPDX-License-Identifier: MIT
// hipDataType: element types that libraries share.
#pragma once

#include <library_types.h>

#include <hipport_cuda/names/library_types.h>
