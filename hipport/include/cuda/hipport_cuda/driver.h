// SPDX-License-Identifier: MIT
// Calls of CUDA's driver as HIP has them: with HIP's one type of errors, with device addresses as pointers, and without
// a context made beforehand.
#pragma once

#if defined(__cplusplus)

#include <dlfcn.h>

#include <type_traits>

namespace hipport {
namespace nvidia {

// An argument as the driver's parameter has it. HIP has one type where CUDA has two of the same layout (cudaArray_t and
// CUarray, cudaMemLocation and CUmemLocation), and addresses where the driver takes numbers.
template <typename Parameter, typename Argument>
Parameter as(Argument& argument, std::true_type) {
  return argument;
}
template <typename Parameter, typename Argument>
Parameter as(Argument& argument, std::false_type) {
  return (Parameter)argument;
}

// A function of the driver, found when it is first called: a program needs no libcuda to be linked, nor to start.
template <typename Function>
class Driver;

template <typename... Parameters>
class Driver<CUresult(Parameters...)> {
 public:
  explicit Driver(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    function_ = library ? reinterpret_cast<CUresult (*)(Parameters...)>(dlsym(library, name)) : nullptr;
  }

  // HIP makes a context for the first call that needs one; the driver leaves that to the runtime.
  template <typename... Arguments>
  cudaError_t operator()(Arguments&&... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "wrong number of arguments to a HIP function");
    if (function_ == nullptr) return cudaErrorInsufficientDriver;
    const cudaError_t result = call(arguments...);
    const bool lacks_context = result == cudaErrorInitializationError || result == cudaErrorDeviceUninitialized;
    return lacks_context && cudaFree(nullptr) == cudaSuccess ? call(arguments...) : result;
  }

 private:
  // CUDA numbers the errors of runtime and driver alike.
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

// C takes the enumerators and numbers of one type for those of the other; libcuda has to be linked.
#define HIPPORT_DRIVER(function) function

#endif
