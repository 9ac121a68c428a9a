// SPDX-License-Identifier: MIT
#pragma once

#include "hipsparse/hipsparse.h"
