// As hip_runtime.h.
#pragma once
#include "hip/hip_runtime.h"
