// SPDX-License-Identifier: MIT
// Entry points that clang's host code calls before main() to register fat binaries, kernels and variables.
#include "compressed.h"
#include "loaded.h"
#include "tools.h"

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <unordered_map>

namespace hipport::emulate {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Symbol> kernels, variables;
  std::string target;
};
Registry& registry() {
  static Registry& all = *new Registry;  // tools ask for kernels while the program exits
  return all;
}

std::string wanted_target() {
  const char* const named = std::getenv("HIPPORT_EMULATE");
  return named == nullptr ? "" : named;
}

template <typename T>
T value_at(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

constexpr char kBundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t kMagicBytes = sizeof kBundleMagic - 1;

// Return the code object in a bundle for the wanted target, or the first one that can be run.
std::pair<const uint8_t*, size_t> chosen(const uint8_t* bundle) {
  const std::string wanted = wanted_target();
  std::string seen;
  const uint8_t* at = bundle + kMagicBytes + 8;
  for (uint64_t left = value_at<uint64_t>(bundle + kMagicBytes); left > 0; --left) {
    const auto offset = value_at<uint64_t>(at), size = value_at<uint64_t>(at + 8), length = value_at<uint64_t>(at + 16);
    const std::string id(reinterpret_cast<const char*>(at + 24), length);
    at += 24 + length;
    const size_t start = id.rfind("gfx");
    if (id.rfind("hip", 0) != 0 || start == id.npos || size == 0) continue;
    const std::string target = id.substr(start), processor = target.substr(0, target.find(':'));
    seen += (seen.empty() ? "" : ", ") + target;
    if (wanted.empty() ? find_processor(processor) != nullptr : processor == wanted) return {bundle + offset, size};
  }
  throw Fault("there is no code for " + (wanted.empty() ? "a GPU that is emulated" : wanted) +
              (seen.empty() ? "" : ", only for " + seen));
}

void set_pointer(const CodeObject& object, const std::string& name, void* memory) {
  void* const pointer = object.variable(name, nullptr);
  if (pointer != nullptr) std::memcpy(pointer, &memory, sizeof memory);
}

}  // namespace

CodeObject& Image::object() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<CodeObject>& object = objects_[hipport::cpu::current_device()];
  if (object != nullptr) return *object;
  object = loaded();
  for (const auto& [name, memory] : managed_) set_pointer(*object, name, memory);
  return *object;
}

std::unique_ptr<CodeObject> Image::loaded() {
  if (is_compressed(bytes_)) {
    unpacked_ = uncompressed(bytes_);
    bytes_ = unpacked_.data();
  }
  if (std::memcmp(bytes_, kBundleMagic, kMagicBytes) == 0) {
    const auto [image, size] = chosen(bytes_);
    return std::make_unique<CodeObject>(image, size);
  }
  if (std::memcmp(bytes_, ELFMAG, SELFMAG) != 0) throw Fault("an image is neither a bundle nor a code object");
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes_);
  return std::make_unique<CodeObject>(bytes_, header->e_shoff + size_t(header->e_shentsize) * header->e_shnum);
}

void Image::set_managed(const std::string& name, void* memory) {
  const std::lock_guard lock(mutex_);
  managed_.emplace_back(name, memory);
  for (const auto& [device, object] : objects_) set_pointer(*object, name, memory);
}

const Symbol* registered_kernel(const void* host) {
  const auto found = registry().kernels.find(host);
  return found == registry().kernels.end() ? nullptr : &found->second;
}
const Symbol* registered_variable(const void* host) {
  const auto found = registry().variables.find(host);
  return found == registry().variables.end() ? nullptr : &found->second;
}

std::vector<std::pair<std::string, std::string>> missing_kernels() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [host, symbol] : registry().kernels) {
    try {
      const CodeObject& object = symbol.image->object();
      if (object.kernel(symbol.name) == nullptr)
        all.emplace_back(symbol.name, "the code for " + std::string(object.processor().name) + " does not have it");
    } catch (const Fault& fault) {
      all.emplace_back(symbol.name, fault.what());
    }
  }
  return all;
}

std::string emulated_target() {
  const std::string wanted = wanted_target();
  if (!wanted.empty()) return wanted;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.target.empty() || all.kernels.empty()) return all.target.empty() ? "gfx90a" : all.target;
  try {
    all.target = all.kernels.begin()->second.image->object().processor().name;
  } catch (const Fault&) {
    all.target = "gfx90a";
  }
  return all.target;
}
unsigned emulated_lanes() { return emulated_target().rfind("gfx9", 0) == 0 ? 64 : 32; }

void stop(const std::string& where, const Fault& fault) {
  std::fflush(stdout);
  std::fprintf(stderr, "hipport: %s: %s\n", where.c_str(), fault.what());
  finish_tools();
  std::_Exit(1);
}

}  // namespace hipport::emulate

using hipport::emulate::Image;
using hipport::emulate::Symbol;

extern "C" {

struct FatBinaryWrapper {
  unsigned magic, version;
  const void* binary;
  void* unused;
};

void** __hipRegisterFatBinary(const void* data) {
  return reinterpret_cast<void**>(new Image(static_cast<const FatBinaryWrapper*>(data)->binary));
}
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void** image, const void* host, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.kernels[host] = Symbol{reinterpret_cast<Image*>(image), name};
}
void __hipRegisterVar(void** image, void* host, char*, const char* name, int, size_t, int, int) {
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.variables[host] = Symbol{reinterpret_cast<Image*>(image), name};
}
// Host and device each have a pointer to a managed variable.
void __hipRegisterManagedVar(void* image, void** pointer, void* initial, const char* name, size_t size, unsigned) {
  void* const memory = std::calloc(1, size);
  std::memcpy(memory, initial, size);
  *pointer = memory;
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.variables[pointer] = Symbol{static_cast<Image*>(image), name, memory, size};
  static_cast<Image*>(image)->set_managed(name, memory);
  hipport::emulate::allow_memory(memory, size);
}
void __hipRegisterTexture() {}
void __hipRegisterSurface() {}
}
