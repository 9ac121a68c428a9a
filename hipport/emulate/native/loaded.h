// SPDX-License-Identifier: MIT
// The code objects of the running program, and what its host code has registered.
#pragma once

#include "code_object.h"
#include "hipport_cpu/handles.h"
#include "targets.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hipport::emulate {

// A fat binary, or an image that a module was loaded from. Its code object is loaded when it is used first.
class Image {
 public:
  explicit Image(const void* bytes) : bytes_(static_cast<const uint8_t*>(bytes)) {}
  // Return the calling thread's device's copy. Throws `Fault`.
  CodeObject& object();
  // Return the code objects to choose from. Throws `Fault`.
  std::vector<Entry> entries();
  // Set the variable that holds the address of a managed one, as soon as there is code.
  void set_managed(const std::string& name, void* memory);

 private:
  const uint8_t* bytes_;
  std::vector<uint8_t> unpacked_;  // of a compressed bundle
  std::unique_ptr<CodeObject> loaded(const std::string& gpu, const std::vector<Entry>& entries) const;
  std::map<int, std::unique_ptr<CodeObject>> objects_;  // by device: each has its own variables
  std::vector<std::pair<std::string, void*>> managed_;
  std::mutex mutex_;
};

// A kernel or a variable by its name in an image.
struct Symbol : hipport::cpu::Handled<Symbol> {
  Image* image = nullptr;
  std::string name;
  void* memory = nullptr;  // of a managed variable
  size_t size = 0;
  struct EmulatedModule* module = nullptr;  // of a module's kernel
};

// A loaded module, as a handle of the program.
struct EmulatedModule : hipport::cpu::Handled<EmulatedModule> {
  std::vector<char> file;
  std::unique_ptr<Image> image;
  std::vector<std::unique_ptr<Symbol>> functions;
};

// Return the registered kernel or variable that has this address in the host code, or null.
const Symbol* registered_kernel(const void* host);
const Symbol* registered_variable(const void* host);

// Return the name of each registered kernel that its code object lacks, and why it is missing.
std::vector<std::pair<std::string, std::string>> missing_kernels();

// Return the name of the target that is emulated, such as "gfx90a", and its size of wavefronts.
std::string emulated_target();
unsigned emulated_lanes();
// Return how many bytes of shared memory its compute units have, all of which one block may use.
size_t local_limit();

// Print why the program cannot go on, and end it.
[[noreturn]] void stop(const std::string& where, const Fault& fault);

}  // namespace hipport::emulate

template <>
struct hipport::cpu::PointerArgument<hipport::emulate::Symbol>
    : hipport::cpu::HandleArgument<hipport::emulate::Symbol, hipErrorInvalidHandle, hipErrorInvalidHandle> {};
template <>
struct hipport::cpu::PointerArgument<hipport::emulate::EmulatedModule>
    : hipport::cpu::HandleArgument<hipport::emulate::EmulatedModule, hipErrorInvalidHandle, hipErrorNotFound> {};
