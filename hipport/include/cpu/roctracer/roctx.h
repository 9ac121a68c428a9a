// SPDX-License-Identifier: MIT
// rocTX's ranges and marks, which nothing records on the CPU.
#pragma once

#include <cstdint>

using roctx_range_id_t = uint64_t;

inline void roctxMarkA(const char*) {}
inline void roctxMark(const char*) {}
inline int roctxRangePushA(const char*) { return 0; }
inline int roctxRangePush(const char*) { return 0; }
inline int roctxRangePop() { return 0; }
inline roctx_range_id_t roctxRangeStartA(const char*) { return 0; }
inline roctx_range_id_t roctxRangeStart(const char*) { return 0; }
inline void roctxRangeStop(roctx_range_id_t) {}
