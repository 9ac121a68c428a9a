// SPDX-License-Identifier: MIT
#pragma once

#include "rccl/rccl.h"
