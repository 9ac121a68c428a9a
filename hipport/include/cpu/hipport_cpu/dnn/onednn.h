// SPDX-License-Identifier: MIT
// Loads oneDNN, of version 2 or 3. It is opened at the first use, so that programs need not link it. Without it the
// operations run in plain loops. HIPPORT_ONEDNN in the environment names another library; `none` means none.
#pragma once

#include "types.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>

namespace hipport::cpu::dnn {

// A part of oneDNN's C interface. Types are opaque here: version 2 has structures where version 3 has pointers.
class OneDnn {
 public:
  using Object = void*;
  struct Argument {
    int kind;
    Object memory;
  };
  // Values of oneDNN's enumerations.
  static constexpr int f32 = 3, cpu = 1, direct = 1, forward = 96;
  static constexpr int source = 1, destination = 17, weights = 33;
  static constexpr int source_gradient = 129, destination_gradient = 145, weights_gradient = 161;

  // Return the library, or null.
  static const OneDnn* get() {
    static const std::unique_ptr<const OneDnn> opened = open();
    return opened.get();
  }

  // Return oneDNN's function of this name.
  template <typename... A>
  bool call(const char* name, A... arguments) const {
    const auto function = reinterpret_cast<int (*)(A...)>(dlsym(library_, name));
    return function != nullptr && function(arguments...) == 0;
  }
  bool is_version_2() const { return version_2_; }
  Object engine() const { return engine_; }

 private:
  struct Version {
    int major;
  };

  static std::unique_ptr<const OneDnn> open() {
    const char* const wanted = std::getenv("HIPPORT_ONEDNN");
    void* library = nullptr;
    for (const char* name :
         {wanted != nullptr ? wanted : "libdnnl.so", "libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2"}) {
      if (library == nullptr && std::strcmp(name, "none") != 0) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (wanted != nullptr) break;
    }
    if (library == nullptr) return nullptr;
    std::unique_ptr<OneDnn> result(new OneDnn(library));
    const auto version = reinterpret_cast<const Version* (*)()>(dlsym(library, "dnnl_version"));
    if (version == nullptr || version()->major < 2 || version()->major > 3) return nullptr;
    result->version_2_ = version()->major == 2;
    if (!result->call("dnnl_engine_create", &result->engine_, cpu, size_t{0})) return nullptr;
    return result;
  }

  explicit OneDnn(void* library) : library_(library) {}

  void* library_;
  Object engine_ = nullptr;
  bool version_2_ = false;
};

// A tensor of floats in oneDNN: its description, and memory of the caller.
class DnnMemory {
 public:
  DnnMemory(const OneDnn& dnn, const std::vector<int64_t>& dims, float* data) : dnn_(dnn) {
    std::vector<int64_t> sizes(12), strides(12);
    int64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
      sizes[d] = dims[d];
      strides[d] = stride;
    }
    const int rank = static_cast<int>(dims.size());
    if (dnn.is_version_2()) {
      storage_.resize(4096);  // dnnl_memory_desc_t
      description_ = storage_.data();
      ok_ = dnn.call("dnnl_memory_desc_init_by_strides", description_, rank, sizes.data(), OneDnn::f32, strides.data());
    } else {
      ok_ = dnn.call("dnnl_memory_desc_create_with_strides", &description_, rank, sizes.data(), OneDnn::f32,
                     strides.data());
    }
    ok_ = ok_ && dnn.call("dnnl_memory_create", &memory_, description_, dnn.engine(), static_cast<void*>(data));
  }
  ~DnnMemory() {
    if (memory_ != nullptr) dnn_.call("dnnl_memory_destroy", memory_);
    if (description_ != nullptr && storage_.empty()) dnn_.call("dnnl_memory_desc_destroy", description_);
  }
  DnnMemory(const DnnMemory&) = delete;
  DnnMemory& operator=(const DnnMemory&) = delete;

  bool ok() const { return ok_; }
  OneDnn::Object description() const { return description_; }
  OneDnn::Object memory() const { return memory_; }

 private:
  const OneDnn& dnn_;
  std::vector<char> storage_;
  OneDnn::Object description_ = nullptr, memory_ = nullptr;
  bool ok_ = false;
};

}  // namespace hipport::cpu::dnn
