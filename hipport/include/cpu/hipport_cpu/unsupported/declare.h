// SPDX-License-Identifier: MIT
// How what is not supported is declared.
#pragma once

#include "../errors.h"

namespace hipport::cpu {

// A member of a structure that only unsupported functions take: it can be given any value.
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
