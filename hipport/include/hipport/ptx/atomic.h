// PTX atomic operations that HIP has no function for, by compare and swap.
#ifndef HIPPORT_PTX_ATOMIC_H
#define HIPPORT_PTX_ATOMIC_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "half.h"

namespace hipport {
namespace ptx {

// Replace the aligned word that contains `at` with `change(word)` atomically; return the old word.
template <typename Change>
HIPPORT_PTX_DEVICE uint32_t atomic_change(unsigned int* word, Change change) {
  unsigned int seen = *(volatile unsigned int*)word;
  for (;;) {
    const unsigned int before = atomicCAS(word, seen, change(seen));
    if (before == seen) return before;
    seen = before;
  }
}

HIPPORT_PTX_DEVICE unsigned int* word_of(const uint16_t* at) { return (unsigned int*)(uintptr_t(at) & ~uintptr_t(3)); }
HIPPORT_PTX_DEVICE uint32_t shift_of(const uint16_t* at) { return uint32_t(uintptr_t(at) & 2) * 8; }

template <typename Change>
HIPPORT_PTX_DEVICE uint16_t atomic_change_half(uint16_t* at, Change change) {
  const uint32_t shift = shift_of(at);
  const uint32_t old = atomic_change(word_of(at), [=](uint32_t seen) {
    return (seen & ~(0xffffu << shift)) | (uint32_t(change(uint16_t(seen >> shift))) << shift);
  });
  return uint16_t(old >> shift);
}

HIPPORT_PTX_DEVICE uint32_t atomic_add_f16x2(uint32_t* at, uint32_t value) {
  return atomic_change((unsigned int*)at, [=](uint32_t seen) { return add_f16x2(seen, value); });
}
HIPPORT_PTX_DEVICE uint32_t atomic_add_bf16x2(uint32_t* at, uint32_t value) {
  return atomic_change((unsigned int*)at, [=](uint32_t seen) { return add_bf16x2(seen, value); });
}
HIPPORT_PTX_DEVICE uint16_t atomic_add_f16(uint16_t* at, uint16_t value) {
  return atomic_change_half(at, [=](uint16_t seen) { return add_f16(seen, value); });
}
HIPPORT_PTX_DEVICE uint16_t atomic_add_bf16(uint16_t* at, uint16_t value) {
  return atomic_change_half(at, [=](uint16_t seen) { return add_bf16(seen, value); });
}
HIPPORT_PTX_DEVICE uint16_t atomic_exch_u16(uint16_t* at, uint16_t value) {
  return atomic_change_half(at, [=](uint16_t) { return value; });
}
HIPPORT_PTX_DEVICE uint16_t atomic_cas_u16(uint16_t* at, uint16_t expected, uint16_t value) {
  return atomic_change_half(at, [=](uint16_t seen) { return seen == expected ? value : seen; });
}

template <typename Better>
HIPPORT_PTX_DEVICE int64_t atomic_change_s64(int64_t* at, int64_t value, Better better) {
  typedef unsigned long long Word;
  Word seen = *(volatile Word*)at;
  while (better(value, int64_t(seen))) {
    const Word before = atomicCAS((Word*)at, seen, Word(value));
    if (before == seen) break;
    seen = before;
  }
  return int64_t(seen);
}
HIPPORT_PTX_DEVICE int64_t atomic_min_s64(int64_t* at, int64_t value) {
  return atomic_change_s64(at, value, [](int64_t a, int64_t b) { return a < b; });
}
HIPPORT_PTX_DEVICE int64_t atomic_max_s64(int64_t* at, int64_t value) {
  return atomic_change_s64(at, value, [](int64_t a, int64_t b) { return a > b; });
}

}  // namespace ptx
}  // namespace hipport

#endif

#endif
