// SPDX-License-Identifier: MIT
// hipBLAS: arguments of routines for batches, without their types. With a template for each combination of types, every
// program with hipBLAS took ten seconds to compile.
#pragma once

#include "mixed.h"

#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace hipport::cpu::blas {

// A factor among the arguments of a routine: it is read when the call is made, or when the work runs.
template <typename T>
struct Factor {
  const T* pointer;
};

// A number, a letter, a factor, or the data of each problem of a batch.
class Argument {
 public:
  Argument(int size) { hold(&size, sizeof(size)); }
  template <typename Mode, typename = decltype(letter_of(Mode()))>
  Argument(Mode mode) {
    const char letter = letter_of(mode);
    hold(&letter, sizeof(letter));
  }
  template <typename T>
  Argument(Factor<T> factor) : kind_(Kind::factor), pointer_(address(factor.pointer)), bytes_(sizeof(T)) {}
  template <typename T>
  Argument(One<T> one) : kind_(Kind::data), pointer_(address(one.data)) {}
  template <typename T>
  Argument(Strided<T> data)
      : kind_(Kind::data), pointer_(address(data.data)), bytes_(data.stride * static_cast<std::ptrdiff_t>(sizeof(T))) {}
  template <typename T>
  Argument(Listed<T> list) : kind_(Kind::list), pointer_(address(list.data)) {}

  bool is_valid() const { return kind_ != Kind::factor || pointer_ != nullptr; }
  // Read a factor of the host now; one of the device is read by the routine.
  void keep(const ihipblasHandle& handle) {
    if (kind_ != Kind::factor) return;
    if (handle.pointer_mode != HIPBLAS_POINTER_MODE_DEVICE) return hold(pointer_, static_cast<size_t>(bytes_));
    kind_ = Kind::data;
    bytes_ = 0;
  }
  // Return what Fortran gets for problem i: an address.
  void* at(int i) {
    if (kind_ == Kind::value) return value_;
    if (kind_ == Kind::list) return static_cast<void**>(pointer_)[i];
    return static_cast<char*>(pointer_) + bytes_ * i;
  }

 private:
  enum class Kind { value, factor, data, list };

  template <typename T>
  static void* address(const T* data) {
    return const_cast<void*>(static_cast<const void*>(data));
  }
  void hold(const void* value, size_t bytes) {
    kind_ = Kind::value;
    std::memcpy(value_, value, bytes);
  }

  Kind kind_ = Kind::value;
  void* pointer_ = nullptr;
  std::ptrdiff_t bytes_ = 0;  // of a factor, or between problems
  alignas(hipDoubleComplex) char value_[sizeof(hipDoubleComplex)] = {};
};
using Arguments = std::initializer_list<Argument>;
using Addresses = std::vector<void*>;

// Call `work(addresses)` for each problem of a batch.
template <typename Work>
hipblasStatus_t for_batch(hipblasHandle_t handle, int batch, Work work, Arguments arguments) {
  bool valid = batch >= 0;
  for (const Argument& argument : arguments) valid = valid && argument.is_valid();
  if (const auto bad = check(handle, valid)) return bad;
  std::vector<Argument> kept(arguments);
  for (Argument& argument : kept) argument.keep(*handle);
  return submit(handle, [=]() mutable {
    Addresses addresses(kept.size());
    for (int i = 0; i < batch; ++i) {
      for (size_t which = 0; which < kept.size(); ++which) addresses[which] = kept[which].at(i);
      work(addresses);
    }
  });
}

template <size_t... I>
void call_with(void* routine, const Addresses& addresses, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(std::decay_t<decltype(addresses[I])>...)>(routine)(addresses[I]...);
}
template <size_t... Count>
void call_fortran(void* routine, const Addresses& addresses, std::index_sequence<Count...>) {
  (void)((addresses.size() == Count && (call_with(routine, addresses, std::make_index_sequence<Count>()), true)) ||
         ...);
}

inline hipblasStatus_t call_for_batch(const std::string& symbol, hipblasHandle_t handle, int batch,
                                      Arguments arguments) {
  constexpr size_t longest = 16;
  const auto work = [symbol](const Addresses& addresses) {
    call_fortran(routine_named(symbol), addresses, std::make_index_sequence<longest>());
  };
  return for_batch(handle, batch, work, arguments);
}
// Call a routine of BLAS for each problem of a batch.
template <typename T>
hipblasStatus_t routine(const char* name, hipblasHandle_t handle, int batch, Arguments arguments) {
  return call_for_batch(symbol_of<T>(name), handle, batch, arguments);
}

// What a function gets whose arguments are at these addresses.
template <typename P>
P from_address(void* address) {
  if constexpr (std::is_pointer_v<P>)
    return static_cast<P>(address);
  else
    return *static_cast<P*>(address);
}
template <typename... P, size_t... I>
void apply(void (*function)(P...), const Addresses& addresses, std::index_sequence<I...>) {
  function(from_address<P>(addresses[I])...);
}
// Call a function for each problem of a batch.
template <typename... P>
hipblasStatus_t own_routine(void (*function)(P...), hipblasHandle_t handle, int batch, Arguments arguments) {
  const auto work = [function](const Addresses& addresses) {
    apply(function, addresses, std::make_index_sequence<sizeof...(P)>());
  };
  return for_batch(handle, batch, work, arguments);
}

}  // namespace hipport::cpu::blas
