// SPDX-License-Identifier: MIT
// __builtin_amdgcn_*: lanes' numbers, votes, and reads from other lanes (but for DPP, see dpp.h).
//
// A lane that does not take part reads as 0, where hardware may give what its register held.
#pragma once

#include "../lanes.h"

namespace hipport::cpu {

inline int read_lane(const char* name, int value, unsigned source, Site site) {
  LaneCall call = make_call(name, Exchange::shuffle, site);
  call.value = static_cast<unsigned>(value);
  call.source = source % wave_size;
  return static_cast<int>(exchange(call).result);
}

// Give all lanes of the group the value of its first.
inline void first_of(const Wave& wave, LaneMask group) {
  Wave& lanes = const_cast<Wave&>(wave);
  const uint64_t first = lanes.calls[__builtin_ctzll(group)].value;
  each_lane(group, [&](unsigned lane) { lanes.calls[lane].result = first; });
}

// Each lane writes its value to lane `source`; of several writers the last counts.
inline void permute(const Wave& wave, LaneMask group) {
  Wave& lanes = const_cast<Wave&>(wave);
  each_lane(group, [&](unsigned lane) { lanes.calls[lane].result = 0; });
  each_lane(group, [&](unsigned lane) { lanes.calls[lanes.calls[lane].source].result = lanes.calls[lane].value; });
}

inline int combined(const char* name, int value, unsigned source, Site site, void (*combine)(const Wave&, LaneMask)) {
  LaneCall call = make_call(name, Exchange::combine, site);
  call.value = static_cast<unsigned>(value);
  call.source = source % wave_size;
  call.combine = combine;
  return static_cast<int>(exchange(call).result);
}

// The lane that ds_swizzle reads from: four lanes permuted, 32 lanes rotated, or the bits of the lane's number masked.
inline unsigned swizzled(unsigned lane, unsigned pattern) {
  const unsigned first = lane & ~31u, place = lane & 31u;
  if ((pattern & 0xe000) == 0xc000) {
    const unsigned count = pattern >> 5 & 31u;
    return first + ((pattern & 0x400) != 0 ? place - count : place + count) % 32;
  }
  if ((pattern & 0x8000) != 0) return (lane & ~3u) + (pattern >> 2 * (lane & 3u) & 3u);
  return first + (((place & pattern) | (pattern >> 5)) ^ pattern >> 10) % 32;
}

// The lane in a row of 16 that permlane16 reads from: 16 numbers of 4 bits.
inline unsigned selected(unsigned lane, unsigned low, unsigned high) {
  return ((lane & 8) != 0 ? high : low) >> 4 * (lane & 7u) & 15u;
}

inline unsigned bits_below(unsigned mask, unsigned lanes) {
  return static_cast<unsigned>(__builtin_popcountll(mask & first_lanes(lanes)));
}

}  // namespace hipport::cpu

inline unsigned __builtin_amdgcn_wavefrontsize() { return hipport::cpu::wave_size; }
inline unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned sum) {
  return sum + hipport::cpu::bits_below(mask, hipport::cpu::lane_id());
}
inline unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned sum) {
  const unsigned lane = hipport::cpu::lane_id();
  return sum + (lane < 32 ? 0 : hipport::cpu::bits_below(mask, lane - 32));
}

inline int __builtin_amdgcn_readlane(int value, int lane, HIPPORT_CALLER) {
  return hipport::cpu::read_lane("readlane", value, static_cast<unsigned>(lane), HIPPORT_HERE);
}
inline int __builtin_amdgcn_readfirstlane(int value, HIPPORT_CALLER) {
  return hipport::cpu::combined("readfirstlane", value, 0, HIPPORT_HERE, hipport::cpu::first_of);
}
inline int __builtin_amdgcn_writelane(int value, int lane, int old) {
  return hipport::cpu::lane_id() == static_cast<unsigned>(lane) % hipport::cpu::wave_size ? value : old;
}
inline int __builtin_amdgcn_ds_bpermute(int address, int value, HIPPORT_CALLER) {
  return hipport::cpu::read_lane("ds_bpermute", value, static_cast<unsigned>(address) / 4, HIPPORT_HERE);
}
inline int __builtin_amdgcn_ds_permute(int address, int value, HIPPORT_CALLER) {
  const unsigned target = static_cast<unsigned>(address) / 4;
  return hipport::cpu::combined("ds_permute", value, target, HIPPORT_HERE, hipport::cpu::permute);
}
inline int __builtin_amdgcn_ds_swizzle(int value, int pattern, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  return read_lane("ds_swizzle", value, swizzled(lane_id(), static_cast<unsigned>(pattern)), HIPPORT_HERE);
}

// The lane's own row of 16, the other row of its half, and the other half of the wavefront.
inline int __builtin_amdgcn_permlane16(int, int value, int low, int high, bool, bool, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  const unsigned lane = lane_id(), place = selected(lane, static_cast<unsigned>(low), static_cast<unsigned>(high));
  return read_lane("permlane16", value, (lane & ~15u) + place, HIPPORT_HERE);
}
inline int __builtin_amdgcn_permlanex16(int, int value, int low, int high, bool, bool, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  const unsigned lane = lane_id(), place = selected(lane, static_cast<unsigned>(low), static_cast<unsigned>(high));
  return read_lane("permlanex16", value, ((lane & ~15u) ^ 16) + place, HIPPORT_HERE);
}
inline int __builtin_amdgcn_permlane64(int value, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  return wave_size == 32 ? value : read_lane("permlane64", value, lane_id() ^ 32, HIPPORT_HERE);
}

inline uint64_t __builtin_amdgcn_ballot_w64(bool predicate, HIPPORT_CALLER) {
  return __ballot(predicate, hipport_file, hipport_place);
}
inline uint32_t __builtin_amdgcn_ballot_w32(bool predicate, HIPPORT_CALLER) {
  return static_cast<uint32_t>(__ballot(predicate, hipport_file, hipport_place));
}
inline uint64_t __builtin_amdgcn_read_exec(HIPPORT_CALLER) { return __activemask(hipport_file, hipport_place); }
inline uint32_t __builtin_amdgcn_read_exec_lo(HIPPORT_CALLER) {
  return static_cast<uint32_t>(__activemask(hipport_file, hipport_place));
}
inline uint32_t __builtin_amdgcn_read_exec_hi(HIPPORT_CALLER) {
  return static_cast<uint32_t>(uint64_t(__activemask(hipport_file, hipport_place)) >> 32);
}
