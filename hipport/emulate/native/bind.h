// SPDX-License-Identifier: MIT
// From decoded instructions to operations.
#pragma once

#include "decode.h"

#include <map>
#include <string_view>

namespace hipport::emulate {

using ScalarTable = std::map<std::string_view, Run>;
const ScalarTable& scalar_table();

// Bind an instruction that accesses memory. Return false if it is none.
bool bind_memory(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op);

// Return whether a function of scalar_table() has no effect, as those for instructions that wait have none.
bool does_nothing(Run run);

// Return the function of an instruction with which the work-groups of a cooperative launch wait for each other (ds_gws_*),
// or null if it is none.
Run grid_wait(std::string_view name);

// Make the operation of an instruction for wavefronts of `lanes` lanes. One that is not supported stops the program
// with its name when it is executed.
Op bind(const Processor& processor, const Decoded& decoded, unsigned lanes);

// Return whether an operation does what its instruction does.
bool is_supported(const Op& op);

}  // namespace hipport::emulate
