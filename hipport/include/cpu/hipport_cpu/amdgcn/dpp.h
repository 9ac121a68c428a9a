// SPDX-License-Identifier: MIT
// __builtin_amdgcn_mov_dpp and update_dpp: data-parallel primitives, which read from a neighbor in a row of 16 lanes
// or in the wavefront.
#pragma once

#include "lanes.h"

namespace hipport::cpu {

inline constexpr int no_lane = -1;

// Return the lane that `lane` reads from by a control of the ISA (DPP_CTRL), or `no_lane`.
inline int dpp_in_row(int lane, int control) {
  const int row = lane & ~15, place = lane & 15, count = control & 15;
  switch (control >> 4) {
    case 0x10: return place + count < 16 ? lane + count : no_lane;  // row_shl
    case 0x11: return place >= count ? lane - count : no_lane;      // row_shr
    case 0x12: return row + (place - count & 15);                   // row_ror
    case 0x15: return row + count;                                  // row_share, row_newbcast
    case 0x16: return row + (place ^ count);                        // row_xmask
    default: return no_lane;
  }
}
inline int dpp_source(int lane, int control) {
  constexpr int lanes = static_cast<int>(wave_size);
  if (control < 0x100) return (lane & ~3) + (control >> 2 * (lane & 3) & 3);  // quad_perm
  switch (control) {
    case 0x130: return lane + 1 < lanes ? lane + 1 : no_lane;   // wave_shl
    case 0x134: return (lane + 1) % lanes;                      // wave_rol
    case 0x138: return lane - 1;                                // wave_shr
    case 0x13c: return (lane + lanes - 1) % lanes;              // wave_ror
    case 0x140: return lane ^ 15;                               // row_mirror
    case 0x141: return lane ^ 7;                                // row_half_mirror
    case 0x142: return lane < 16 ? no_lane : (lane & ~15) - 1;  // row_bcast:15
    case 0x143: return lane < 32 ? no_lane : 31;                // row_bcast:31
    default: return dpp_in_row(lane, control);
  }
}

inline int move_dpp(const char* name, int old, int value, int control, int rows, int banks, bool zero, Site site) {
  const int lane = static_cast<int>(lane_id()), source = dpp_source(lane, control);
  LaneCall call = make_call(name, Exchange::shuffle, site);
  call.value = static_cast<unsigned>(value);
  call.source = static_cast<unsigned>(source == no_lane ? lane : source);
  exchange(call);
  if ((rows >> lane / 16 & 1) == 0 || (banks >> lane % 16 / 4 & 1) == 0) return old;
  const bool valid = source != no_lane && (call.group & lane_bit(call.source)) != 0;
  return valid ? static_cast<int>(call.result) : zero ? 0 : old;
}

}  // namespace hipport::cpu

inline int __builtin_amdgcn_update_dpp(int old, int value, int control, int rows, int banks, bool zero,
                                       HIPPORT_CALLER) {
  return hipport::cpu::move_dpp("update_dpp", old, value, control, rows, banks, zero, HIPPORT_HERE);
}
// What a lane gets that reads from none is undefined; here its own value.
inline int __builtin_amdgcn_mov_dpp(int value, int control, int rows, int banks, bool zero, HIPPORT_CALLER) {
  return hipport::cpu::move_dpp("mov_dpp", value, value, control, rows, banks, zero, HIPPORT_HERE);
}
// Eight lanes permuted: 3 bits for each.
inline int __builtin_amdgcn_mov_dpp8(int value, int selectors, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  const unsigned lane = lane_id();
  const unsigned place = static_cast<unsigned>(selectors) >> 3 * (lane & 7u) & 7u;
  return read_lane("mov_dpp8", value, (lane & ~7u) + place, HIPPORT_HERE);
}
