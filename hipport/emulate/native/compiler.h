// SPDX-License-Identifier: MIT
// The installed compiler, which hipRTC and links at run time go through.
#pragma once

#include <string>
#include <vector>

namespace hipport::emulate {

// Return hipcc, amdclang++ or clang++ from PATH or /opt/rocm/bin, or what HIPPORT_HIPCC names; "" if there is none.
std::string found_compiler();

// The start of a command: the compiler itself must not get the emulator.
std::vector<std::string> without_emulator();

// Link LLVM bitcode to a code object for the target that is emulated; return "" if that fails. Messages go to `log`.
std::string linked_bitcode(const std::vector<std::string>& inputs, const std::vector<std::string>& options,
                           std::string* log);

}  // namespace hipport::emulate
