// SPDX-License-Identifier: MIT
// The types of data that libraries have in common.
#pragma once

#include <library_types.h>

#include <hipport_cuda/names/library_types.h>
