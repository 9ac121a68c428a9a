// SPDX-License-Identifier: MIT
// Entry points that clang's host code calls before main() to register fat binaries, kernels and variables.
#include "allowed_memory.h"
#include "compressed.h"
#include "loaded.h"
#include "targets.h"
#include "tools.h"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace hipport::emulate {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Symbol> kernels, variables;
  std::vector<Image*> images;  // of the program and its libraries, in the order in which they were loaded
  std::string gpu;             // that is emulated, once it is known
};
Registry& registry() {
  static Registry& all = *new Registry;  // tools ask for kernels while the program exits
  return all;
}

constexpr char kUsualGpu[] = "gfx90a";  // of programs that have no code

std::string wanted_gpu() {
  const char* const wanted = std::getenv("HIPPORT_EMULATE");
  return wanted == nullptr ? "" : wanted;
}

// Return the code objects in an image, none if it cannot be read: the launch of one of its kernels says so.
std::vector<Entry> readable(Image& image) {
  try {
    return image.entries();
  } catch (const Fault&) {
    return {};
  }
}

// Return the GPU that is emulated: the wanted one, or the one that fits the code of the program and its libraries best, or
// else that of `module`, if there is one. "" as long as nothing of this says it. All images run on this one.
std::string emulated_gpu(Image* module) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.gpu.empty()) return all.gpu;
  all.gpu = wanted_gpu();
  if (!all.gpu.empty()) return all.gpu;
  std::vector<std::vector<Entry>> found;
  for (Image* const image : all.images) found.push_back(readable(*image));
  all.gpu = best_gpu(found);
  if (all.gpu.empty() && module != nullptr) all.gpu = best_gpu({readable(*module)});
  return all.gpu;
}

void set_pointer(const CodeObject& object, const std::string& name, void* memory) {
  void* const pointer = object.variable(name, nullptr);
  if (pointer != nullptr) std::memcpy(pointer, &memory, sizeof memory);
}

}  // namespace

CodeObject& Image::object() {
  const int device = hipport::cpu::current_device();
  const auto known = [&]() -> CodeObject* {
    const auto found = objects_.find(device);
    return found == objects_.end() ? nullptr : found->second.get();
  };
  {
    const std::lock_guard lock(mutex_);
    if (known() != nullptr) return *known();
  }
  const std::string gpu = emulated_gpu(this);
  const std::vector<Entry> all = entries();
  const std::lock_guard lock(mutex_);
  if (known() == nullptr) objects_[device] = loaded(gpu, all);
  return *known();
}

std::unique_ptr<CodeObject> Image::loaded(const std::string& gpu, const std::vector<Entry>& entries) const {
  const Processor* const processor = find_processor(processor_of(gpu));
  const Entry* const best = best_entry(entries, gpu);
  if (best == nullptr || processor == nullptr)
    throw Fault("there is no code for " + (gpu.empty() ? "a GPU that is emulated" : gpu) +
                (entries.empty() ? "" : ", only for " + named(entries)));
  auto object = std::make_unique<CodeObject>(best->bytes, best->size, *processor);
  for (const auto& [name, memory] : managed_) set_pointer(*object, name, memory);
  return object;
}

std::vector<Entry> Image::entries() {
  const std::lock_guard lock(mutex_);
  if (is_compressed(bytes_)) {
    unpacked_ = uncompressed(bytes_);
    bytes_ = unpacked_.data();
  }
  return entries_of(bytes_);
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
  const std::string gpu = emulated_gpu(nullptr);
  return gpu.empty() ? kUsualGpu : processor_of(gpu);
}
unsigned emulated_lanes() { return emulated_target().rfind("gfx9", 0) == 0 ? 64 : 32; }
size_t local_limit() { return emulated_target() == "gfx950" ? 160 << 10 : 64 << 10; }

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
  auto* const image = new Image(static_cast<const FatBinaryWrapper*>(data)->binary);
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.images.push_back(image);
  return reinterpret_cast<void**>(image);
}
// Loaded code stays: tools name its kernels when the program ends.
void __hipUnregisterFatBinary(void** image) {
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  const auto last = std::remove(all.images.begin(), all.images.end(), reinterpret_cast<Image*>(image));
  all.images.erase(last, all.images.end());
}
void __hipRegisterFunction(void** image, const void* host, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.kernels[host] = Symbol{{}, reinterpret_cast<Image*>(image), name};
}
void __hipRegisterVar(void** image, void* host, char*, const char* name, int, size_t, int, int) {
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.variables[host] = Symbol{{}, reinterpret_cast<Image*>(image), name};
}
// Host and device each have a pointer to a managed variable.
void __hipRegisterManagedVar(void* image, void** pointer, void* initial, const char* name, size_t size, unsigned) {
  void* const memory = std::calloc(1, size);
  std::memcpy(memory, initial, size);
  *pointer = memory;
  auto& all = hipport::emulate::registry();
  const std::lock_guard lock(all.mutex);
  all.variables[pointer] = Symbol{{}, static_cast<Image*>(image), name, memory, size};
  static_cast<Image*>(image)->set_managed(name, memory);
  hipport::emulate::allow_memory(memory, size);
  hipport::cpu::Variables::instance().add(memory, {size, hipMemoryTypeManaged});
}
// References to textures are variables; their constructors and the functions that bind them say how to read.
void __hipRegisterTexture(void** image, void* host, char*, const char* name, int, int, int) {
  __hipRegisterVar(image, host, nullptr, name, 0, 0, 0, 0);
}
void __hipRegisterSurface() {}
}
