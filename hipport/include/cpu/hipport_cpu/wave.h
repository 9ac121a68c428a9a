// SPDX-License-Identifier: MIT
// One wavefront: which of its lanes run, wait or have ended, and what they exchange.
//
// A lane that calls a cross-lane function waits until the participating lanes have called it, too. With a mask, these
// are the lanes of the mask. Without one, they are the lanes that are at the same call once all lanes wait, which are
// the lanes that would be active on a GPU. If lanes wait at several calls, the first in the source is completed first,
// because lanes that are behind must catch up before they can meet the others.
#pragma once

#include "checks/hooks.h"
#include "failure.h"

namespace hipport::cpu {

using LaneMask = uint64_t;

inline constexpr unsigned wave_size = HIPPORT_WAVE_SIZE;

constexpr LaneMask lane_bit(unsigned lane) { return LaneMask(1) << lane; }
constexpr LaneMask first_lanes(unsigned count) { return count >= 64 ? ~LaneMask(0) : lane_bit(count) - 1; }

// Call `f(lane)` for each lane of a mask, in order.
template <typename F>
void each_lane(LaneMask lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctzll(lanes)));
}

enum class Exchange : unsigned char { step, sync, shuffle, vote, match, combine };

struct Wave;

// A lane's arguments and result of a cross-lane function.
struct LaneCall {
  Site site;
  const char* name;
  Exchange kind;
  bool masked;
  LaneMask mask;    // the lanes named by the caller
  uint64_t value;   // the value that other lanes may read
  unsigned source;  // shuffle: the lane to read from
  uint64_t result;
  LaneMask group;                                     // the lanes that took part
  void (*combine)(const Wave& wave, LaneMask group);  // combine: computes the results while all lanes wait
};

struct Wave {
  unsigned first = 0;       // the number of its first thread in the block
  LaneMask present = 0;     // lanes that the block has
  LaneMask ready = 0;       // lanes that can continue
  LaneMask calling = 0;     // lanes that wait in a cross-lane function
  LaneMask at_barrier = 0;  // lanes that wait for the block
  LaneMask ended = 0;
  LaneMask left = 0;  // ended lanes that executed a `return`
  Site barrier{nullptr, 0};
  LaneCall calls[wave_size];

  LaneMask live() const { return present & ~ended; }

  // Complete the exchange that `lane` waits for if all its lanes have called it; return whether it was completed.
  bool complete_masked(unsigned lane) {
    const LaneCall& call = calls[lane];
    const LaneMask wanted = call.mask & live();
    if ((wanted & ~calling) != 0) return false;
    LaneMask group = 0;
    each_lane(wanted, [&](unsigned other) { group |= meets(call, calls[other]) ? lane_bit(other) : 0; });
    if (group != wanted) return false;
    complete(group);
    return true;
  }

  // Called when no lane can continue: complete one exchange if possible.
  bool complete_any() {
    for (LaneMask rest = calling; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctzll(rest));
      if (calls[lane].masked && complete_masked(lane)) return true;
    }
    const LaneMask group = earliest();
    if (group != 0) complete(group);
    return group != 0;
  }

 private:
  static bool meets(const LaneCall& a, const LaneCall& b) {
    if (a.kind != b.kind || a.masked != b.masked || a.mask != b.mask) return false;
    return a.masked || a.site == b.site;
  }

  // Return the lanes at the unmasked call that is first in the source.
  LaneMask earliest() const {
    LaneMask group = 0;
    unsigned best = 0;
    each_lane(calling, [&](unsigned lane) {
      if (calls[lane].masked) return;
      if (group == 0 || before(calls[lane], calls[best])) {
        group = lane_bit(lane);
        best = lane;
      } else if (meets(calls[lane], calls[best])) {
        group |= lane_bit(lane);
      }
    });
    return group;
  }

  static bool before(const LaneCall& a, const LaneCall& b) {
    if ((a.kind == Exchange::step) != (b.kind == Exchange::step)) return a.kind == Exchange::step;
    if (a.site.line != b.site.line) return a.site.line < b.site.line;
    return a.site.column != b.site.column ? a.site.column < b.site.column : a.kind < b.kind;
  }

  void complete(LaneMask group) {
    switch (calls[__builtin_ctzll(group)].kind) {
      case Exchange::step:
      case Exchange::sync: break;
      case Exchange::shuffle: shuffle(group); break;
      case Exchange::vote: vote(group); break;
      case Exchange::match: match(group); break;
      case Exchange::combine: calls[__builtin_ctzll(group)].combine(*this, group); break;
    }
    each_lane(group, [&](unsigned lane) { calls[lane].group = group; });
    calling &= ~group;
    ready |= group;
    checks::lanes_met(first, group);
  }

  // A lane that does not take part reads as 0, as on AMD hardware.
  void shuffle(LaneMask group) {
    each_lane(group, [&](unsigned lane) {
      const unsigned source = calls[lane].source;
      calls[lane].result = (group & lane_bit(source)) != 0 ? calls[source].value : 0;
    });
  }

  void vote(LaneMask group) {
    LaneMask votes = 0;
    each_lane(group, [&](unsigned lane) { votes |= calls[lane].value != 0 ? lane_bit(lane) : 0; });
    each_lane(group, [&](unsigned lane) { calls[lane].result = votes; });
  }

  void match(LaneMask group) {
    each_lane(group, [&](unsigned lane) {
      LaneMask same = 0;
      each_lane(group, [&](unsigned other) { same |= calls[other].value == calls[lane].value ? lane_bit(other) : 0; });
      calls[lane].result = same;
    });
  }
};

}  // namespace hipport::cpu
