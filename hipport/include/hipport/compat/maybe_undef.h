// SPDX-License-Identifier: MIT
// Marks parameters of lane functions that may be undefined in some lanes.
#ifndef HIPPORT_COMPAT_MAYBE_UNDEF_H
#define HIPPORT_COMPAT_MAYBE_UNDEF_H

// A shuffle's value may be undefined in the lanes that nobody reads from: `if (lane == leader) base = ...;` before a
// broadcast of `base`. Without the attribute, clang takes the condition for always true. nvcc and g++ do not need it.
#if !defined(HIPPORT_MAYBE_UNDEF)
#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(maybe_undef)
#define HIPPORT_MAYBE_UNDEF __attribute__((maybe_undef))
#endif
#endif
#endif
#if !defined(HIPPORT_MAYBE_UNDEF)
#define HIPPORT_MAYBE_UNDEF
#endif

#endif
