// SPDX-License-Identifier: MIT
#pragma once

#include "hipfft/hipfft.h"
