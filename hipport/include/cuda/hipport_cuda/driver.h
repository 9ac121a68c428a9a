// SPDX-License-Identifier: MIT
// CUDA's driver API with HIP's conventions: one type for errors, pointers as device addresses, no context to create
// first.
#pragma once

#if defined(__cplusplus)

#include <dlfcn.h>

#include <type_traits>

namespace hipport {
namespace nvidia {

// Convert an argument to the driver's parameter type. HIP has one type where CUDA has two of the same layout
// (cudaArray_t and CUarray, cudaMemLocation and CUmemLocation), and pointers where the driver takes integers.
template <typename Parameter, typename Argument>
Parameter as(Argument& argument, std::true_type) {
  return argument;
}
template <typename Parameter, typename Argument>
Parameter as(Argument& argument, std::false_type) {
  return (Parameter)argument;
}

// A driver function that is looked up when it is first called, so that programs start, and link, without libcuda.
template <typename Function>
class Driver;

template <typename... Parameters>
class Driver<CUresult(Parameters...)> {
 public:
  explicit Driver(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    function_ = library ? reinterpret_cast<CUresult (*)(Parameters...)>(dlsym(library, name)) : nullptr;
  }

  // HIP creates a context for the first call that needs one; here the CUDA runtime does it.
  template <typename... Arguments>
  cudaError_t operator()(Arguments&&... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "wrong number of arguments to a HIP function");
    if (function_ == nullptr) return cudaErrorInsufficientDriver;
    const cudaError_t result = call(arguments...);
    const bool lacks_context = result == cudaErrorInitializationError || result == cudaErrorDeviceUninitialized;
    return lacks_context && cudaFree(nullptr) == cudaSuccess ? call(arguments...) : result;
  }

 private:
  // CUDA's runtime and driver use the same error numbers.
  template <typename... Arguments>
  cudaError_t call(Arguments&... arguments) const {
    return static_cast<cudaError_t>(
        function_(as<Parameters>(arguments, std::is_convertible<Arguments&, Parameters>())...));
  }

  CUresult (*function_)(Parameters...);
};

}  // namespace nvidia
}  // namespace hipport

#define HIPPORT_STRING_OF(text) #text
#define HIPPORT_STRING(macro) HIPPORT_STRING_OF(macro)
#define HIPPORT_DRIVER(function)                                                                \
  ([]() -> const ::hipport::nvidia::Driver<decltype(function)>& {                               \
    static const ::hipport::nvidia::Driver<decltype(function)> found(HIPPORT_STRING(function)); \
    return found;                                                                               \
  }())

#else

// In C, enumerators and integers convert to each other implicitly, so no wrapper is needed; libcuda must be linked.
#define HIPPORT_DRIVER(function) function

#endif
