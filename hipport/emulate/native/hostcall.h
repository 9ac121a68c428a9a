// SPDX-License-Identifier: MIT
// What kernels ask of the host while they run: output, memory, calls of host functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hipport::emulate {

// Return the address of the buffer that requests go through: the argument `hidden_hostcall_buffer`.
uint64_t hostcall_buffer();

// Answer the requests that wavefronts wait for. Costs little when there are none.
void answer_hostcalls();

// Return the address of the state of malloc() in kernels, `hidden_heap_v1`. It gets its memory by host calls.
uint64_t device_heap();

// Formats of printf() by their hashes, from the metadata of a code object.
using PrintFormats = std::map<uint64_t, std::string>;

// Add a format as the metadata has it: "0:0:HASH,FORMAT".
void add_format(PrintFormats& formats, const std::string& text);

// The buffer that printf() writes to in kernels compiled with -mprintf-kind=buffered; one for a launch.
class PrintBuffer {
 public:
  PrintBuffer();
  uint64_t address() const { return reinterpret_cast<uint64_t>(words_.data()); }
  // Print what the kernel has written.
  void flush(const PrintFormats& formats) const;

 private:
  std::vector<uint32_t> words_;  // bytes written, bytes of room, messages
};

}  // namespace hipport::emulate
