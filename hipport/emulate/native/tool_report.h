// SPDX-License-Identifier: MIT
// The file that tools write their findings and totals to.
#pragma once

#include <string>

namespace hipport::emulate {

// Append a line to the file that HIPPORT_EMULATE_REPORT names, or to the standard error.
void report_line(const std::string& line);

// Return text as a JSON string.
std::string json_text(const std::string& text);

}  // namespace hipport::emulate
