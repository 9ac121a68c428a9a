// SPDX-License-Identifier: MIT
// Kernel launches in standard C++: `hipLaunchKernelGGL(kernel, grid, block, bytes, stream, arguments...)`, and for
// `<<<>>>` the expression `HIPPORT_LAUNCH(kernel, grid, block, bytes, stream)(arguments...)`.
#pragma once

#include "device.h"
#include "grid.h"
#include "kernel_symbols.h"
#include "stream.h"
#include "trace.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace hipport::cpu {

// A kernel's address, with its parameter types.
template <typename... P>
struct Signature {
  void (*kernel)(P...);
};

// `Tag` makes the call depend on a template parameter of the macro's lambda, so that a failed deduction is not an
// error.
template <typename Tag, typename... P>
Signature<P...> signature(Tag, void (*kernel)(P...)) {
  return {kernel};
}

// Call a kernel for the threads of a block from `runner.first` on.
template <typename Call>
void run_threads(const void* erased, Runner& runner) {
  const Call call = *static_cast<const Call*>(erased);  // a private copy that nothing else can change
  const dim3 size = blockDim;
  unsigned x = runner.first % size.x, y = runner.first / size.x % size.y, z = runner.first / size.x / size.y;
  for (; z < size.z; ++z, y = 0) {
    for (; y < size.y; ++y, x = 0) {
      if constexpr (!sanitizers::races) {
        threadIdx.y = y;
        threadIdx.z = z;
      }
      for (; x < size.x; ++x) {
        if constexpr (sanitizers::races)
          current_block->begin_thread(x, y, z);
        else
          threadIdx.x = x;
        if constexpr (checks::enabled) checks::enter(flat_thread());
        call();
        checks::leave();
        if constexpr (sanitizers::races) current_block->end_thread();
        if (runner.done) return;
      }
    }
  }
}

// A kernel with its arguments; every thread gets copies of them.
template <typename Kernel, typename... P>
struct Call {
  Kernel kernel;
  std::tuple<P...> arguments;
  void operator()() const { std::apply(kernel, arguments); }
};

template <typename C>
Body make_body(const C& call, const char* name, bool strict) {
  return Body{&run_threads<C>, &call, name, strict};
}

// The parts of a launch in front of its arguments.
struct Launch {
  Geometry geometry;
  hipStream_t stream;
  const char* name;
  bool strict;
};

inline checks::LaunchFacts facts_of(const Launch& launch) {
  const dim3 &grid = launch.geometry.grid, &block = launch.geometry.block;
  return {launch.name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, launch.stream, HIPPORT_QUIET};
}

HIPPORT_RUNTIME hipError_t check_geometry(const Geometry& geometry) {
  const dim3& grid = geometry.grid;
  const unsigned longest = std::max({grid.x, grid.y, grid.z});
  if (longest > static_cast<unsigned>(std::numeric_limits<int>::max())) return hipErrorInvalidConfiguration;
  if (geometry.blocks() == 0 || geometry.threads() == 0 || geometry.threads() > max_threads)
    return hipErrorInvalidConfiguration;
  return geometry.shared_bytes > shared_limit ? hipErrorInvalidValue : hipSuccess;
}

// Also checks the launch bounds if the kernel's address is known.
HIPPORT_RUNTIME hipError_t check_geometry(const Geometry& geometry, const void* kernel) {
  const hipError_t checked = check_geometry(geometry);
  if (checked != hipSuccess || kernel == nullptr) return checked;
  return geometry.threads() > launch_bound(kernel) ? hipErrorLaunchFailure : hipSuccess;
}

template <typename C>
void run_launch(const Launch& launch, const C& call) {
  run_traced(launch.geometry, call, launch.name, [&] {
    checks::begin_launch(facts_of(launch));
    run_grid(launch.geometry, make_body(call, launch.name, launch.strict));
  });
}

template <typename Kernel, typename... P, size_t... I>
Call<Kernel, P...> with_arguments(const Call<Kernel, P...>& call, [[maybe_unused]] void** arguments,
                                  std::index_sequence<I...>) {
  return {call.kernel, {*static_cast<std::remove_reference_t<P>*>(arguments[I])...}};
}

inline hipKernelNodeParams node_parameters(const Geometry& geometry, const void* kernel, void** arguments) {
  const auto shared = static_cast<unsigned>(geometry.shared_bytes);
  return {geometry.block, nullptr, const_cast<void*>(kernel), geometry.grid, arguments, shared};
}

// What a capture does with a call, whose type only these functions know: all launches share the code that records them,
// which took half of the time of compiling a program with hundreds of launches.
struct CallType {
  void (*run)(const Launch& launch, const void* call);
  void* (*copied)(const void* call, void** arguments);  // with other arguments, unless these are null
  void (*find_arguments)(void* call, void** places);
  void (*destroy)(void* call);
  size_t count;  // of the arguments
};

template <typename C>
struct CallFunctions;

template <typename Kernel, typename... P>
struct CallFunctions<Call<Kernel, P...>> {
  using C = Call<Kernel, P...>;

  static void run(const Launch& launch, const void* call) { run_launch(launch, *static_cast<const C*>(call)); }
  static void* copied(const void* call, void** arguments) {
    const C& old = *static_cast<const C*>(call);
    return arguments == nullptr ? new C(old) : new C(with_arguments(old, arguments, std::index_sequence_for<P...>()));
  }
  static void find_arguments(void* call, [[maybe_unused]] void** places) {
    std::apply([&](auto&... each) { ((*places++ = const_cast<void*>(static_cast<const void*>(&each))), ...); },
               static_cast<C*>(call)->arguments);
  }
  static void destroy(void* call) { delete static_cast<C*>(call); }

  static constexpr CallType type = {&run, &copied, &find_arguments, &destroy, sizeof...(P)};
};

// A copy of a call, and the places of its arguments.
struct KeptCall {
  const CallType& type;
  void* call;
  std::vector<void*> arguments;

  KeptCall(const CallType& of, const void* original, void** changed)
      : type(of), call(of.copied(original, changed)), arguments(of.count + 1) {
    type.find_arguments(call, arguments.data());
  }
  KeptCall(const KeptCall&) = delete;
  KeptCall& operator=(const KeptCall&) = delete;
  ~KeptCall() { type.destroy(call); }
};

// The content of a node for a captured launch, whose arguments can be read and replaced.
HIPPORT_RUNTIME NodeContent captured(const Launch& launch, const std::shared_ptr<KeptCall>& kept, const void* kernel) {
  const auto changed = [launch, kept, kernel](const hipKernelNodeParams& params) {
    const Geometry geometry{params.gridDim, params.blockDim, params.sharedMemBytes};
    const Launch other{geometry, launch.stream, launch.name, launch.strict};
    return captured(other, std::make_shared<KeptCall>(kept->type, kept->call, params.kernelParams), kernel);
  };
  return {hipGraphNodeTypeKernel,
          [launch, kept] { kept->type.run(launch, kept->call); },
          node_parameters(launch.geometry, kernel, kept->arguments.data()),
          {},
          check_geometry(launch.geometry, kernel),
          changed};
}

// Record a launch in its stream's capture. Without the kernel's address, nobody can read or replace its arguments.
HIPPORT_RUNTIME void capture(const Launch& launch, const CallType& type, const void* call, const void* kernel) {
  const auto kept = std::make_shared<KeptCall>(type, call, nullptr);
  if (kernel != nullptr)
    fill(*record(launch.stream, hipGraphNodeTypeKernel, {}), captured(launch, kept, kernel));
  else
    record(launch.stream, hipGraphNodeTypeKernel, [launch, kept] { kept->type.run(launch, kept->call); });
}

// `is_complete`: the call has an argument for each parameter of the kernel at that address.
template <typename C>
void start(const Launch& launch, const C& call, const void* kernel = nullptr, bool is_complete = true) {
  if (status(check_geometry(launch.geometry, kernel)) != hipSuccess) return;
  if (status(refuse_implicit(launch.stream)) != hipSuccess) return;
  if (capture_of(launch.stream) != nullptr)
    capture(launch, CallFunctions<C>::type, &call, is_complete ? kernel : nullptr);
  else
    run_launch(launch, call);
}

// A launch without its arguments yet, for kernels with known parameter types.
template <typename Direct, typename... P>
struct Launcher {
  Launch launch;
  Direct direct;
  void (*kernel)(P...);

  void operator()(P... arguments) const {
    // `Direct` is a lambda without captures that names the kernel, so that it can be inlined into the loop over the
    // threads.
    const void* address = reinterpret_cast<const void*>(kernel);
    if constexpr (std::is_empty_v<Direct>)
      start(launch, Call<Direct, P...>{direct, {static_cast<P>(arguments)...}}, address);
    else
      start(launch, Call<void (*)(P...), P...>{kernel, {static_cast<P>(arguments)...}}, address);
  }

  // With fewer arguments than parameters, default arguments supply the rest.
  template <typename... A, typename = std::enable_if_t<(sizeof...(A) < sizeof...(P))>>
  void operator()(const A&... arguments) const {
    start(launch, Call<Direct, A...>{direct, {arguments...}}, reinterpret_cast<const void*>(kernel), false);
  }
};

// For kernel templates whose arguments are deduced from the launch, and for overloaded kernels.
template <typename Direct>
struct DeducingLauncher {
  Launch launch;
  Direct direct;

  template <typename... A>
  void operator()(const A&... arguments) const {
    start(launch, Call<Direct, std::decay_t<const A&>...>{direct, {arguments...}});
  }
};

template <typename Direct, typename... P>
Launcher<Direct, P...> with_signature(Launch launch, Direct direct, Signature<P...> known) {
  return {launch, direct, known.kernel};
}

template <typename Resolve, typename Direct>
auto launcher(const char* name, bool strict, Resolve resolve, Direct direct, dim3 grid, dim3 block,
              size_t shared_bytes = 0, hipStream_t stream = nullptr) {
  const Launch launch{{grid, block, shared_bytes}, stream, name, strict};
  if constexpr (std::is_invocable_v<Resolve, int>)
    return with_signature(launch, direct, resolve(0));
  else
    return DeducingLauncher<Direct>{launch, direct};
}

#ifdef HIPPORT_MARKED_RETURNS
#define HIPPORT_STRICT true
#else
#define HIPPORT_STRICT false
#endif

// The right operand of `kernel->*configured(grid, block)(arguments...)`, for launches whose `<<<` and `>>>` are in
// macros. Kernel templates must be named with their arguments, as in `kernel<int>`, and null pointers as `nullptr`.
template <typename... A>
struct Given {
  Launch launch;
  std::tuple<A&&...> arguments;
};

struct Configured {
  Launch launch;

  template <typename... A>
  Given<A...> operator()(A&&... arguments) const {
    return {launch, {static_cast<A&&>(arguments)...}};
  }
};

inline Configured configured(dim3 grid, dim3 block, size_t shared_bytes = 0, hipStream_t stream = nullptr) {
  return {{{grid, block, shared_bytes}, stream, "a kernel launched by a macro", HIPPORT_STRICT}};
}

template <typename... P, typename... A>
void operator->*(void (*kernel)(P...), Given<A...> given) {
  static_assert(sizeof...(A) == sizeof...(P), "a launch by a macro needs an argument for each parameter");
  const auto call = [&](A&&... arguments) {
    return Call<void (*)(P...), P...>{kernel, {static_cast<P>(static_cast<A&&>(arguments))...}};
  };
  start(given.launch, std::apply(call, std::move(given.arguments)), reinterpret_cast<const void*>(kernel));
}

}  // namespace hipport::cpu

// `kernel` must not pass through another macro because it may contain commas.
#define HIPPORT_LAUNCH(kernel, ...)                                       \
  ::hipport::cpu::launcher(                                               \
      #kernel, HIPPORT_STRICT,                                            \
      [&](auto tag) -> decltype(::hipport::cpu::signature(tag, kernel)) { \
        return ::hipport::cpu::signature(tag, kernel);                    \
      },                                                                  \
      [&](auto&&... hipport_arguments) { kernel(hipport_arguments...); }, __VA_ARGS__)
// For default arguments and initializers outside of functions, where a lambda captures nothing.
#define HIPPORT_LAUNCH_OUTSIDE(kernel, ...)                              \
  ::hipport::cpu::launcher(                                              \
      #kernel, HIPPORT_STRICT,                                           \
      [](auto tag) -> decltype(::hipport::cpu::signature(tag, kernel)) { \
        return ::hipport::cpu::signature(tag, kernel);                   \
      },                                                                 \
      [](auto&&... hipport_arguments) { kernel(hipport_arguments...); }, __VA_ARGS__)
#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...)                           \
  ::hipport::cpu::launcher(                                                                          \
      #kernel, HIPPORT_STRICT,                                                                       \
      [&](auto tag) -> decltype(::hipport::cpu::signature(tag, kernel)) {                            \
        return ::hipport::cpu::signature(tag, kernel);                                               \
      },                                                                                             \
      [&](auto&&... hipport_arguments) { kernel(hipport_arguments...); }, grid, block, shared_bytes, \
      stream)(__VA_ARGS__)
