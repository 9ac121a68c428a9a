// SPDX-License-Identifier: MIT
// Operations as text.
#pragma once

#include "operation.h"

#include <string>

namespace hipport::emulate {

// Return an operation as text: its name and its registers.
std::string text_of(const Op& op);

}  // namespace hipport::emulate
