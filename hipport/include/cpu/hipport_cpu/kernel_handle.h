// SPDX-License-Identifier: MIT
// Kernels identified by address, and launches with pointers to the arguments.
#pragma once

#include "launch.h"

#include <array>
#include <map>
#include <memory>

namespace hipport::cpu {

// A launch with its own copies of the arguments, which can run any number of times.
class BoundKernel {
 public:
  virtual ~BoundKernel() = default;
  virtual void run() const = 0;
  virtual void** arguments() = 0;  // pointers to the copies
};

// The operations on a kernel that depend on its parameter types.
struct KernelType {
  size_t parameters;
  std::shared_ptr<BoundKernel> (*bind)(const void* address, const Launch& launch, void** arguments, bool cooperative);
  // Set `arguments` to the positions in a buffer of all arguments, each at its own alignment.
  void (*unpack)(char* buffer, void** arguments);
};

// A kernel's address with its parameter types; `type` is null if they are unknown.
struct KernelHandle {
  const void* address;
  const KernelType* type;
};

void run_cooperative(const Geometry& geometry, const Body& body);

template <typename... P>
class BoundTo final : public BoundKernel {
 public:
  template <size_t... I>
  BoundTo(void (*kernel)(P...), const Launch& launch, void** arguments, bool cooperative, std::index_sequence<I...>)
      : call_{kernel, {*static_cast<std::remove_reference_t<P>*>(arguments[I])...}},
        launch_(launch),
        cooperative_(cooperative),
        pointers_{const_cast<void*>(static_cast<const void*>(&std::get<I>(call_.arguments)))...} {}

  void run() const override {
    const Body body = make_body(call_, launch_.name, launch_.strict);
    run_traced(launch_.geometry, call_, launch_.name, [&] {
      checks::begin_launch(facts_of(launch_));
      cooperative_ ? run_cooperative(launch_.geometry, body) : run_grid(launch_.geometry, body);
    });
  }
  void** arguments() override { return pointers_.data(); }

 private:
  Call<void (*)(P...), P...> call_;
  Launch launch_;
  bool cooperative_;
  std::array<void*, sizeof...(P) + 1> pointers_;
};

template <typename... P>
std::shared_ptr<BoundKernel> bind_kernel(const void* address, const Launch& launch, void** arguments,
                                         bool cooperative) {
  return std::make_shared<BoundTo<P...>>(reinterpret_cast<void (*)(P...)>(const_cast<void*>(address)), launch,
                                         arguments, cooperative, std::index_sequence_for<P...>());
}

template <typename... P>
void unpack_arguments([[maybe_unused]] char* buffer, [[maybe_unused]] void** arguments) {
  [[maybe_unused]] size_t offset = 0;
  (((offset = (offset + alignof(P) - 1) / alignof(P) * alignof(P)), *arguments++ = buffer + offset,
    offset += sizeof(P)),
   ...);
}

template <typename... P>
inline constexpr KernelType kernel_type{sizeof...(P), &bind_kernel<P...>, &unpack_arguments<P...>};

// The parameter types of kernels whose addresses were converted to `void*`.
class KnownKernels {
 public:
  static KnownKernels& instance() {
    static KnownKernels known;
    return known;
  }
  void add(KernelHandle kernel) {
    std::lock_guard<std::mutex> lock(mutex_);
    types_[kernel.address] = kernel.type;
  }
  const KernelType* find(const void* address) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = types_.find(address);
    return found == types_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, const KernelType*> types_;
};

// The translator wraps the kernel argument of hipLaunchKernel and similar calls in this, inside the cast to `void*`.
template <typename... P>
KernelHandle kernel(void (*function)(P...)) {
  return {reinterpret_cast<const void*>(function), &kernel_type<P...>};
}
inline KernelHandle kernel(KernelHandle known) { return known; }
inline KernelHandle kernel(const void* address) { return {address, KnownKernels::instance().find(address)}; }

// The translator wraps kernels that are cast to `void*` elsewhere in this, which records their types.
template <typename... P>
void* kernel_pointer(void (*function)(P...)) {
  KnownKernels::instance().add(kernel(function));
  return reinterpret_cast<void*>(function);
}
template <typename T>
void* kernel_pointer(T* other) {
  return const_cast<void*>(static_cast<const void*>(other));
}

inline uint64_t cooperative_limit() { return static_cast<uint64_t>(processors()) * cooperative_blocks_per_unit; }

// Check a launch and copy its arguments.
HIPPORT_RUNTIME hipError_t bind_launch(const char* caller, KernelHandle kernel, const Launch& launch, void** arguments,
                                       bool cooperative, std::shared_ptr<BoundKernel>* bound) {
  if (kernel.address == nullptr) return status(hipErrorInvalidDeviceFunction);
  if (kernel.type == nullptr) return missing(caller);
  if (arguments == nullptr && kernel.type->parameters > 0) return status(hipErrorInvalidValue);
  const hipError_t checked = check_geometry(launch.geometry, kernel.address);
  if (checked != hipSuccess) return status(checked);
  if (cooperative && launch.geometry.blocks() > cooperative_limit()) return status(hipErrorCooperativeLaunchTooLarge);
  *bound = kernel.type->bind(kernel.address, launch, arguments, cooperative);
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t launch_by_address(const char* caller, KernelHandle kernel, const Launch& launch,
                                             void** arguments, bool cooperative) {
  std::shared_ptr<BoundKernel> bound;
  const hipError_t status = bind_launch(caller, kernel, launch, arguments, cooperative, &bound);
  if (status != hipSuccess) return status;
  const hipError_t enqueued = enqueue(launch.stream, [bound] { bound->run(); }, hipGraphNodeTypeKernel);
  if (enqueued != hipSuccess) return enqueued;
  if (capture_of(launch.stream) != nullptr) {
    KnownKernels::instance().add(kernel);
    place_of(launch.stream).last.front()->parameters =
        node_parameters(launch.geometry, kernel.address, bound->arguments());
  }
  return hipSuccess;
}

}  // namespace hipport::cpu
