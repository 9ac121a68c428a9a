// SPDX-License-Identifier: MIT
#pragma once

#include "hipsolver/hipsolver.h"
