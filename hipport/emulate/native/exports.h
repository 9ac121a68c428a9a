// SPDX-License-Identifier: MIT
// Defines functions with C names that call those of the CPU target, which have C++ names.
#pragma once

#define EXPORT(result, name, parameters, arguments) \
  result exported_##name parameters asm(#name);     \
  result exported_##name parameters { return ::name arguments; }

// A function that does what another one does.
#define SAME_AS(result, name, other, parameters, arguments) \
  result exported_##name parameters asm(#name);             \
  result exported_##name parameters { return ::other arguments; }
