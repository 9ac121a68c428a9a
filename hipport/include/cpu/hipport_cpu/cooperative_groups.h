// SPDX-License-Identifier: MIT
// Cooperative groups: blocks, grids, tiles of a wavefront and coalesced lanes.
#pragma once

#include "cooperative.h"
#include "lanes.h"

namespace cooperative_groups {

class grid_group {
 public:
  void sync(HIPPORT_CALLER) const { ::hipport::cpu::sync_grid(HIPPORT_HERE); }
  bool is_valid() const { return ::hipport::cpu::grid_barrier != nullptr; }
  unsigned long long num_blocks() const { return uint64_t(gridDim.x) * gridDim.y * gridDim.z; }
  unsigned long long block_rank() const {
    return blockIdx.x + uint64_t(gridDim.x) * (blockIdx.y + uint64_t(gridDim.y) * blockIdx.z);
  }
  unsigned long long num_threads() const { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  unsigned long long size() const { return num_threads(); }
  unsigned long long thread_rank() const {
    return block_rank() * blockDim.x * blockDim.y * blockDim.z + ::hipport::cpu::flat_thread();
  }
  dim3 group_dim() const { return gridDim; }
};
inline grid_group this_grid() { return {}; }

class thread_block {
 public:
  [[gnu::always_inline]] static void sync(HIPPORT_CALLER) {
    ::hipport::cpu::block_here("thread_block::sync").barrier(0, "thread_block::sync", HIPPORT_HERE);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() { return ::hipport::cpu::flat_thread(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  bool is_valid() const { return true; }
};
inline thread_block this_thread_block() { return {}; }

// The lanes in `mask`, of one wavefront. Ranks count the lanes of the mask.
class lane_group {
 public:
  explicit lane_group(::hipport::cpu::LaneMask mask) : mask_(mask) {}

  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcountll(mask_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcountll(mask_ & ::hipport::cpu::first_lanes(::hipport::cpu::lane_id())));
  }
  void sync(HIPPORT_CALLER) const { __syncwarp(mask_, hipport_file, hipport_place); }
  bool is_valid() const { return true; }

  // `shfl` takes the rank modulo the size of the group; beyond the ends, `shfl_up` and `shfl_down` return the caller's
  // own value.
  template <typename T>
  T shfl(HIPPORT_MAYBE_UNDEF T value, int rank, HIPPORT_CALLER) const {
    return read(value, static_cast<unsigned>(rank) % num_threads(), HIPPORT_HERE);
  }
  template <typename T>
  T shfl_down(HIPPORT_MAYBE_UNDEF T value, unsigned delta, HIPPORT_CALLER) const {
    const unsigned rank = thread_rank();
    return read(value, delta < num_threads() - rank ? rank + delta : rank, HIPPORT_HERE);
  }
  template <typename T>
  T shfl_up(HIPPORT_MAYBE_UNDEF T value, unsigned delta, HIPPORT_CALLER) const {
    const unsigned rank = thread_rank();
    return read(value, delta <= rank ? rank - delta : rank, HIPPORT_HERE);
  }
  template <typename T>
  T shfl_xor(HIPPORT_MAYBE_UNDEF T value, unsigned mask, HIPPORT_CALLER) const {
    const unsigned rank = thread_rank();
    return read(value, (rank ^ mask) < num_threads() ? rank ^ mask : rank, HIPPORT_HERE);
  }
  int any(int predicate, HIPPORT_CALLER) const { return __any_sync(mask_, predicate, hipport_file, hipport_place); }
  int all(int predicate, HIPPORT_CALLER) const { return __all_sync(mask_, predicate, hipport_file, hipport_place); }
  unsigned long long ballot(int predicate, HIPPORT_CALLER) const {
    return ranks(__ballot_sync(mask_, predicate, hipport_file, hipport_place));
  }
  template <typename T>
  unsigned long long match_any(HIPPORT_MAYBE_UNDEF T value, HIPPORT_CALLER) const {
    return ranks(__match_any_sync(mask_, value, hipport_file, hipport_place));
  }
  template <typename T>
  unsigned long long match_all(HIPPORT_MAYBE_UNDEF T value, int& all, HIPPORT_CALLER) const {
    return ranks(__match_all_sync(mask_, value, &all, hipport_file, hipport_place));
  }

  ::hipport::cpu::LaneMask lanes() const { return mask_; }

 private:
  template <typename T>
  T read(HIPPORT_MAYBE_UNDEF T value, unsigned rank, ::hipport::cpu::Site site) const {
    ::hipport::cpu::LaneMask rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    using namespace ::hipport::cpu;
    return shuffle(make_call("shuffle of a group", Exchange::shuffle, site, mask_), value,
                   static_cast<unsigned>(__builtin_ctzll(rest)));
  }

  // Convert a mask of lanes to a mask of ranks.
  unsigned long long ranks(::hipport::cpu::LaneMask lanes) const {
    unsigned long long result = 0;
    unsigned rank = 0;
    ::hipport::cpu::each_lane(
        mask_, [&](unsigned lane) { result |= static_cast<unsigned long long>(lanes >> lane & 1) << rank++; });
    return result;
  }

  ::hipport::cpu::LaneMask mask_;
};

// The lanes that are active at a call, or a subset of such a group; the meta group is the group that it was split from.
class coalesced_group : public lane_group {
 public:
  explicit coalesced_group(::hipport::cpu::LaneMask mask, unsigned rank = 0, unsigned parts = 1)
      : lane_group(mask), rank_(rank), parts_(parts) {}
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return parts_; }

 private:
  unsigned rank_, parts_;
};

inline coalesced_group coalesced_threads(HIPPORT_CALLER) {
  return coalesced_group(__activemask(hipport_file, hipport_place));
}

// `Size` consecutive lanes. The last tile of a block may have fewer.
template <unsigned Size, typename Parent = thread_block>
class thread_block_tile : public lane_group {
 public:
  static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= ::hipport::cpu::wave_size,
                "a tile has a power of two of lanes, no more than a wavefront");

  thread_block_tile() : lane_group(lanes_of_tile()) {}
  // `thread_block_tile<4> tile = tiled_partition<4>(warp)`: the type without a parent holds tiles of all parents.
  template <typename Other,
            std::enable_if_t<!std::is_same_v<Other, Parent> && std::is_same_v<Parent, thread_block>, int> = 0>
  thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : lane_group(tile.lanes()), parent_(tile.meta_group_size() * Size) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return ::hipport::cpu::flat_thread() % Size; }
  unsigned meta_group_rank() const { return ::hipport::cpu::flat_thread() % threads_of_parent() / Size; }
  unsigned meta_group_size() const { return (threads_of_parent() + Size - 1) / Size; }

 private:
  unsigned threads_of_parent() const {
    if constexpr (std::is_same_v<Parent, thread_block>)
      return parent_ != 0 ? parent_ : thread_block().num_threads();
    else
      return Parent::num_threads();
  }
  static ::hipport::cpu::LaneMask lanes_of_tile() {
    return ::hipport::cpu::first_lanes(Size) << (::hipport::cpu::lane_id() / Size * Size);
  }

  unsigned parent_ = 0;  // threads of the tile that was divided; 0: the block was
};

// Any group passed to a function: a block or lanes.
class thread_group {
 public:
  thread_group(const thread_block&) : is_block_(true), lanes_(0) {}
  thread_group(const lane_group& lanes) : is_block_(false), lanes_(lanes) {}

  void sync(HIPPORT_CALLER) const {
    is_block_ ? thread_block().sync(hipport_file, hipport_place) : lanes_.sync(hipport_file, hipport_place);
  }
  unsigned size() const { return is_block_ ? thread_block().size() : lanes_.size(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return is_block_ ? thread_block().thread_rank() : lanes_.thread_rank(); }
  bool is_valid() const { return true; }

 private:
  bool is_block_;
  lane_group lanes_;
};

inline thread_group this_thread() { return lane_group(::hipport::cpu::lane_bit(::hipport::cpu::lane_id())); }

template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  static_assert(!std::is_same_v<Parent, coalesced_group>, "not supported: tiles of a fixed size of coalesced lanes");
  return {};
}
template <typename Parent>
lane_group tiled_partition(const Parent&, unsigned size) {
  using namespace ::hipport::cpu;
  return lane_group(first_lanes(size) << (lane_id() / size * size));
}
// Split lanes, which need not be consecutive, into groups of `size`; the last group may have fewer.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  using namespace ::hipport::cpu;
  const unsigned part = parent.thread_rank() / size;
  LaneMask lanes = 0;
  unsigned rank = 0;
  each_lane(parent.lanes(), [&](unsigned lane) { lanes |= rank++ / size == part ? lane_bit(lane) : 0; });
  return coalesced_group(lanes, part, (parent.num_threads() + size - 1) / size);
}

// The lanes of a group that have the same predicate. Those with `false` are the first of two groups.
template <typename Group>
coalesced_group binary_partition(const Group& group, bool predicate, HIPPORT_CALLER) {
  const ::hipport::cpu::LaneMask lanes = group.lanes();
  const auto chosen = __ballot_sync(lanes, predicate, hipport_file, hipport_place);
  if (chosen == 0 || chosen == lanes) return coalesced_group(lanes);
  return coalesced_group(predicate ? chosen : lanes & ~chosen, predicate ? 1 : 0, 2);
}

template <typename Group>
[[gnu::always_inline]] inline void sync(const Group& group, HIPPORT_CALLER) {
  group.sync(hipport_file, hipport_place);
}
template <typename Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
bool is_valid(const Group& group) {
  return group.is_valid();
}
template <typename Group>
auto group_size(const Group& group) {
  return group.size();
}

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Programs have functions of these names, too, which take a group and other arguments: argument-dependent lookup finds
// both.
template <typename T, typename Combine>
using Combined = std::enable_if_t<std::is_invocable_r_v<T, Combine, T, T>, T>;

// Combine the values of all lanes; every lane gets the result. The lanes that a partial tile lacks contribute nothing.
template <typename Group, typename T, typename Combine>
Combined<T, Combine> reduce(const Group& group, T value, Combine combine, HIPPORT_CALLER) {
  const unsigned lanes = ::hipport::cpu::present_lanes(group.lanes());
  T result = group.shfl(value, 0, hipport_file, hipport_place);
  for (unsigned rank = 1; rank < lanes; ++rank)
    result = combine(result, group.shfl(value, static_cast<int>(rank), hipport_file, hipport_place));
  return result;
}

// Combine the values of this lane and of all lanes before it.
template <typename Group, typename T, typename Combine = plus<T>>
Combined<T, Combine> inclusive_scan(const Group& group, T value, Combine combine = {}, HIPPORT_CALLER) {
  T result = value;
  for (unsigned rank = group.thread_rank(), delta = 1; delta < group.size(); delta *= 2) {
    const T lower = group.shfl_up(result, delta, hipport_file, hipport_place);
    if (rank >= delta) result = combine(lower, result);
  }
  return result;
}
template <typename Group, typename T, typename Combine = plus<T>>
Combined<T, Combine> exclusive_scan(const Group& group, T value, Combine combine = {}, HIPPORT_CALLER) {
  const T before =
      group.shfl_up(inclusive_scan(group, value, combine, hipport_file, hipport_place), 1, hipport_file, hipport_place);
  return group.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups
