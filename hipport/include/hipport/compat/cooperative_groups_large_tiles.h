// SPDX-License-Identifier: MIT
// `cg::block_tile_memory`, and tiles of more than 32 threads, which communicate through it.
#ifndef HIPPORT_COMPAT_COOPERATIVE_GROUPS_LARGE_TILES_H
#define HIPPORT_COMPAT_COOPERATIVE_GROUPS_LARGE_TILES_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cooperative_groups_reduce.h"
#include "cuda_scope.h"
#include "maybe_undef.h"

#if defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>

#include <type_traits>

namespace hipport {
namespace compat {

// Shared memory in which the tiles of a block synchronize and exchange values.
struct TileWords {
  unsigned* arrived;  // one counter per tile; those of tiles of `capacity / n` threads begin at `n`
  unsigned* values;   // one word per thread of the block
  unsigned capacity;  // in threads, a power of two
};

constexpr unsigned power_of_two(unsigned least, unsigned from = 64) {
  return from >= least ? from : power_of_two(least, 2 * from);
}

}  // namespace compat
}  // namespace hipport

namespace cooperative_groups {

// Shared memory for the tiles of a block of up to MaxThreads threads.
template <unsigned MaxThreads = 1024>
struct block_tile_memory {
  static constexpr unsigned capacity = hipport::compat::power_of_two(MaxThreads);
  unsigned arrived[capacity / 32];
  unsigned values[capacity];
};

}  // namespace cooperative_groups

namespace hipport {
namespace compat {

// A block whose tiles may be larger than a wavefront.
class BlockWithMemory : public cooperative_groups::thread_block {
 public:
  HIPPORT_COMPAT_DEVICE BlockWithMemory(const cooperative_groups::thread_block& block, TileWords words)
      : cooperative_groups::thread_block(block), words_(words) {}
  HIPPORT_COMPAT_DEVICE TileWords words() const { return words_; }

 private:
  TileWords words_;
};

// `Size` consecutive threads of a block, in one or more wavefronts. The last tile may have fewer.
template <unsigned Size>
class LargeTile {
 public:
  static_assert(Size >= 64 && (Size & (Size - 1)) == 0, "the size of a tile must be a power of two");

  HIPPORT_COMPAT_DEVICE explicit LargeTile(const BlockWithMemory& block)
      : words_(block.words()), thread_(block.thread_rank()), threads_(block.size()) {}

  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  HIPPORT_COMPAT_DEVICE unsigned thread_rank() const { return thread_ % Size; }
  HIPPORT_COMPAT_DEVICE unsigned meta_group_rank() const { return thread_ / Size; }
  HIPPORT_COMPAT_DEVICE unsigned meta_group_size() const { return (threads_ + Size - 1) / Size; }

  // Each thread takes a ticket and waits until the tickets complete its round. There is no branch in between: lanes of
  // one wavefront must not wait for each other.
  HIPPORT_COMPAT_DEVICE void sync() const {
    unsigned* arrived = words_.arrived + words_.capacity / Size + meta_group_rank();
    const unsigned present = threads_ - first() < Size ? threads_ - first() : Size;
    __threadfence_block();
    const unsigned complete = (atomicAdd(arrived, 1u) / present + 1) * present;
    while (static_cast<int>(__atomic_load_n(arrived, __ATOMIC_RELAXED) - complete) < 0) let_others_run();
    __threadfence_block();
  }

  // Return the value of the thread with the given rank; the type must be trivially copyable.
  template <typename T>
  HIPPORT_COMPAT_DEVICE T shfl(HIPPORT_MAYBE_UNDEF T value, unsigned rank) const {
    unsigned words[(sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned)] = {};
    memcpy(words, static_cast<const void*>(&value), sizeof(T));
    for (unsigned& word : words) {
      words_.values[thread_] = word;
      sync();
      word = words_.values[first() + rank % Size];
      sync();
    }
    memcpy(static_cast<void*>(&value), words, sizeof(T));
    return value;
  }

  HIPPORT_COMPAT_DEVICE int any(int predicate) const {
    words_.values[thread_] = predicate != 0;
    sync();
    unsigned found = 0;
    for (unsigned i = first(); i < threads_ && i < first() + Size; ++i) found |= words_.values[i];
    sync();
    return static_cast<int>(found);
  }
  HIPPORT_COMPAT_DEVICE int all(int predicate) const { return !any(!predicate); }

 private:
  HIPPORT_COMPAT_DEVICE unsigned first() const { return thread_ - thread_rank(); }

  TileWords words_;
  unsigned thread_, threads_;
};

}  // namespace compat
}  // namespace hipport

namespace cooperative_groups {

// All threads of the block must call this.
template <unsigned MaxThreads>
HIPPORT_COMPAT_DEVICE hipport::compat::BlockWithMemory this_thread_block(block_tile_memory<MaxThreads>& memory) {
  const thread_block block = this_thread_block();
  for (unsigned i = block.thread_rank(); i < memory.capacity / 32; i += block.size()) memory.arrived[i] = 0;
  block.sync();
  return {block, {memory.arrived, memory.values, memory.capacity}};
}

template <unsigned Size>
HIPPORT_COMPAT_DEVICE typename std::enable_if<(Size > 32), hipport::compat::LargeTile<Size>>::type tiled_partition(
    const hipport::compat::BlockWithMemory& block) {
  return hipport::compat::LargeTile<Size>(block);
}
template <unsigned Size>
HIPPORT_COMPAT_DEVICE typename std::enable_if<(Size <= 32), thread_block_tile<Size, thread_block>>::type
tiled_partition(const hipport::compat::BlockWithMemory& block) {
  return tiled_partition<Size>(static_cast<const thread_block&>(block));
}

#if defined(__HIPPORT_CPU__)  // the CPU target's own `reduce` is for lanes of a wavefront
template <unsigned Size, typename T, typename Operation>
T reduce(const hipport::compat::LargeTile<Size>& tile, T value, Operation&& combine) {
  return hipport::compat::reduce_group(tile, value, combine);
}
#endif

}  // namespace cooperative_groups

#endif

#endif

#endif
