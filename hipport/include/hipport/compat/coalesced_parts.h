// SPDX-License-Identifier: MIT
// Groups of lanes that know which of how many parts of a group they are: `meta_group_rank()` and `meta_group_size()` of
// `coalesced_group`. The groups of HIP before 6.0 have no place for that but a size that they read of tiles only.
#ifndef HIPPORT_COMPAT_COALESCED_PARTS_H
#define HIPPORT_COMPAT_COALESCED_PARTS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>

namespace hipport {
namespace compat {

#if defined(__HIPPORT_CPU__)

using CoalescedPart = cooperative_groups::coalesced_group;

#else

class CoalescedPart : public cooperative_groups::coalesced_group {
 public:
  HIPPORT_COMPAT_DEVICE explicit CoalescedPart(unsigned long long lanes, unsigned rank = 0, unsigned parts = 1)
      : cooperative_groups::coalesced_group(lanes) {
#if HIPPORT_COMPAT_HIP_BEFORE(6, 0)
    coalesced_info.tiled_info.size = kMark | rank << 8 | parts;
#else
    coalesced_info.tiled_info.meta_group_rank = rank;
    coalesced_info.tiled_info.meta_group_size = parts;
#endif
  }

#if HIPPORT_COMPAT_HIP_BEFORE(6, 0)
  // HIP's own groups have not been marked: they are whole.
  HIPPORT_COMPAT_DEVICE static unsigned rank_of(const cooperative_groups::coalesced_group& group) {
    const unsigned kept = kept_by(group);
    return is_marked(kept) ? kept >> 8 & 0xff : 0;
  }
  HIPPORT_COMPAT_DEVICE static unsigned parts_of(const cooperative_groups::coalesced_group& group) {
    const unsigned kept = kept_by(group);
    return is_marked(kept) ? kept & 0xff : 1;
  }

 private:
  static constexpr unsigned kMark = 0xc06a0000;

  HIPPORT_COMPAT_DEVICE static bool is_marked(unsigned kept) { return (kept & 0xffff0000) == kMark; }
  HIPPORT_COMPAT_DEVICE static unsigned kept_by(const cooperative_groups::coalesced_group& group) {
    return (group.*(&CoalescedPart::coalesced_info)).tiled_info.size;
  }
#endif
};

#endif

}  // namespace compat
}  // namespace hipport

#endif

#endif

#endif
