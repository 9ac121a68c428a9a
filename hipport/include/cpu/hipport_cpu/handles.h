// SPDX-License-Identifier: MIT
// Arguments that functions refuse: null pointers, and handles of objects that do not exist or were destroyed.
#pragma once

#include "errors.h"

#include <mutex>
#include <type_traits>
#include <unordered_set>

namespace hipport::cpu {

// The objects of a type that exist, by address.
template <typename T>
class Living {
 public:
  static Living& instance() {
    static Living& all = *new Living;  // never destroyed: static objects may be destroyed later
    return all;
  }
  void add(const void* object) {
    std::lock_guard<std::mutex> lock(mutex_);
    objects_.insert(object);
  }
  void remove(const void* object) {
    std::lock_guard<std::mutex> lock(mutex_);
    objects_.erase(object);
  }
  bool has(const void* object) {
    std::lock_guard<std::mutex> lock(mutex_);
    return objects_.count(object) != 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<const void*> objects_;
};

// The base of an object that programs have handles of.
template <typename T>
struct Handled {
  Handled() { Living<T>::instance().add(this); }
  Handled(const Handled&) : Handled() {}
  Handled& operator=(const Handled&) { return *this; }
  ~Handled() { Living<T>::instance().remove(this); }
};

// Return whether an object exists. Its address is that of its base.
template <typename T>
bool exists(const T* object) {
  return Living<T>::instance().has(object);
}

// What is wrong with a pointer that a function was given. Handles have specializations.
template <typename T>
struct PointerArgument {
  static hipError_t problem(const T* pointer) { return pointer == nullptr ? hipErrorInvalidValue : hipSuccess; }
};
template <typename T, hipError_t OfNull, hipError_t OfNone>
struct HandleArgument {
  static hipError_t problem(const T* handle) {
    if (handle == nullptr) return OfNull;
    return exists(handle) ? hipSuccess : OfNone;
  }
};

// Return what is wrong with the first wrong argument.
template <typename... T>
hipError_t problem_of(T*... given) {
  hipError_t found = hipSuccess;
  (void)((found = PointerArgument<std::remove_const_t<T>>::problem(given), found == hipSuccess) && ...);
  return found;
}

}  // namespace hipport::cpu

// The first statement of a function of the runtime: return an error if one of these pointers and handles is wrong.
#define HIPPORT_NEEDS(...)                                                                       \
  if (const hipError_t problem = ::hipport::cpu::problem_of(__VA_ARGS__); problem != hipSuccess) \
  return ::hipport::cpu::status(problem)
