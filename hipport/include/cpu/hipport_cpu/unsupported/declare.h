// SPDX-License-Identifier: MIT
// Declares names that the CPU target does not support.
#pragma once

#include "../errors.h"

namespace hipport::cpu {

// A member of a structure that only unsupported functions take: any value can be assigned to it.
struct Anything {
  Anything() = default;
  template <typename T>
  Anything(const T&) {}
  template <typename T>
  operator T() const {
    return T();
  }
};

template <typename Status>
Status unsupported(const char* what, Status refusal) {
  missing(what);
  return refusal;
}

}  // namespace hipport::cpu

// Any other function of this name is preferred, since an ellipsis is the worst match for every argument.
#define HIPPORT_UNSUPPORTED(Status, refusal, name) \
  inline Status name(...) { return ::hipport::cpu::unsupported(#name, refusal); }

// Each use of a constant whose value is arbitrary is a warning of the compiler.
#define HIPPORT_ARBITRARY [[deprecated("the CPU target does not support this constant, whose value is arbitrary")]]
