// SPDX-License-Identifier: MIT
// Loads a code object: an ELF file for AMD GPUs, with kernels, variables and metadata.
#pragma once

#include "hostcall.h"
#include "program.h"

#include <map>
#include <memory>
#include <mutex>

namespace hipport::emulate {

class CodeObject {
 public:
  // `image` is the ELF file, for the processor or for its family. Throws `Fault` for one that cannot be run.
  CodeObject(const uint8_t* image, size_t size, const Processor& processor);
  ~CodeObject();
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;

  const Processor& processor() const { return *processor_; }
  // Return the kernel, or null. Decodes the code for the kernel's size of wavefronts if this is its first.
  const Kernel* kernel(const std::string& name) const;
  Program& program(unsigned lanes);
  // Return address and size of a variable; null if there is none of this name.
  void* variable(const std::string& name, size_t* size) const;
  // Return the name of the kernel or variable at an address, or an empty one.
  std::string name_at(uint64_t address) const;
  // The formats of printf() that its kernels name by hashes.
  const PrintFormats& formats() const { return formats_; }
  const std::map<std::string, Kernel>& kernels() const { return kernels_; }
  // The memory that the code object occupies: code, constants and variables.
  const uint8_t* memory() const { return memory_; }
  size_t bytes() const { return bytes_; }

 private:
  void load(const uint8_t* image, size_t size);
  void read_symbols(const uint8_t* image, size_t size);
  void read_lines(const uint8_t* image, size_t size);
  void read_metadata(const uint8_t* notes, size_t size);

  const Processor* processor_;
  uint8_t* memory_ = nullptr;
  size_t bytes_ = 0, code_at_ = 0, code_bytes_ = 0;
  LineTable lines_;
  std::map<std::string, Kernel> kernels_;
  PrintFormats formats_;
  std::map<std::string, std::pair<void*, size_t>> variables_;
  std::mutex decoding_;
  std::unique_ptr<Program> programs_[2];
};

}  // namespace hipport::emulate
