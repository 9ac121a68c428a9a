// SPDX-License-Identifier: MIT
// The state of a wavefront and of its work-group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hipport::emulate {

struct Op;
class Program;

// Memory for registers, aligned as vector instructions of the host want it.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* memory, size_t) { ::operator delete(memory, kAlignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};
using Rows = std::vector<uint32_t, AlignedAllocator<uint32_t>>;

// Numbers of scalar registers. Those of m0 and of the null register differ by processor, and are unified on decoding.
enum : unsigned {
  kFlatScratch = 102,  // gfx9
  kVcc = 106,
  kTtmp = 108,
  kNull = 124,
  kM0 = 125,
  kExec = 126,
  kNowhere = 128,  // what is written to the null register
  kScalars = 132
};

constexpr unsigned kMaxLanes = 64, kMaxThreads = 1024, kAddresses = 16, kGroupedAddresses = 4, kLocalSlack = 64;
// The upper halves of addresses of local and of private memory; the host has no such addresses.
constexpr uint32_t kLocalAperture = 0x01000000, kPrivateAperture = 0x02000000;
// The upper half of the base in the resource descriptor of private memory.
constexpr uint32_t kPrivateResource = 0x7a7a;
constexpr unsigned kAccumulators = 256;  // AGPR n is vector register 256 + n

// An error that ends the program: an unsupported instruction, or a fault of the machine code.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the work-groups of a cooperative launch wait for each other with: a barrier, or a semaphore.
struct GridResource {
  bool is_initialized = false;
  uint32_t counter = 0;  // how many others the barrier waits for; how many may pass the semaphore
  uint32_t phase = 0;    // how often all have met
  uint32_t waiting = 0;  // wavefronts at the semaphore
};
constexpr unsigned kGridResources = 64;
struct GridResources {
  GridResource all[kGridResources];
};

// Local memory (LDS) and what the wavefronts of a work-group share.
struct WorkGroup {
  std::vector<uint8_t> local;     // vector instructions of the host may read beyond the end, not beyond the capacity
  GridResources* grid = nullptr;  // of cooperative launches
  // Where code that is translated finds local memory.
  uint8_t* local_start = nullptr;
  uint64_t local_bytes = 0;

  // Make local memory so large, of zeros where it was smaller.
  void resize_local(size_t bytes) {
    local.reserve(bytes + kLocalSlack);
    local.resize(bytes);
    local_start = local.data();
    local_bytes = bytes;
  }
};

// Turn each bit of a mask into a word of ones or of zeros.
inline void spread_bits(uint32_t mask, uint32_t* to) {
  for (unsigned i = 0; i < 32; ++i) to[i] = 0u - (mask >> i & 1);
}

// Where code that is translated loads words of local memory from: for each part of the wavefront an address, at which the
// word of lane i of the part is word `index[i]`.
struct GroupedAddresses {
  alignas(64) uint32_t index[16];
  const uint8_t* at[kMaxLanes / 8];
  uint32_t extent = 0;                      // for which this was found; 0 if it was not
  uint32_t one_extent = 0;                  // the same, if each part of 16 lanes has one address
  alignas(64) uint32_t offsets[kMaxLanes];  // of the lanes in local memory
};

// A wavefront. Vector register r of lane l is vector[r * lanes + l]; there is one more than instructions can name.
struct Wave {
  explicit Wave(unsigned lane_count, unsigned vector_registers)
      : Wave(lane_count, Rows(rows_size(lane_count, vector_registers))) {}
  // `memory` has rows_size() elements.
  Wave(unsigned lane_count, Rows memory) : lanes(lane_count), vectors(std::move(memory)), rows(vectors.data()) {}
  static size_t rows_size(unsigned lane_count, unsigned vector_registers) {
    return size_t(vector_registers + 1) * lane_count;
  }
  Wave(Wave&&) = default;  // a copy would use the registers of the original

  uint32_t* v(unsigned number) { return rows + size_t(number) * lanes; }
  uint64_t pair(unsigned number) const { return scalars[number] | uint64_t(scalars[number + 1]) << 32; }
  void set_pair(unsigned number, uint64_t value) {
    scalars[number] = static_cast<uint32_t>(value);
    scalars[number + 1] = static_cast<uint32_t>(value >> 32);
  }
  // A mask of lanes in scalar registers: one for 32 lanes, two for 64.
  uint64_t mask(unsigned number) const { return lanes == 64 ? pair(number) : scalars[number]; }
  void set_mask(unsigned number, uint64_t value) {
    if (number == kNull) return;
    scalars[number] = static_cast<uint32_t>(value);
    if (lanes == 64) scalars[number + 1] = static_cast<uint32_t>(value >> 32);
    if (number == kExec) exec_changed();
  }
  uint64_t exec() const { return mask(kExec); }
  uint64_t all() const { return lanes == 64 ? ~uint64_t(0) : 0xffffffffu; }

  // Call after each write to exec.
  void exec_changed() {
    full = exec() == all();
    spread_bits(scalars[kExec], active_lanes);
    if (lanes == 64) spread_bits(scalars[kExec + 1], active_lanes + 32);
  }

  unsigned lanes;
  bool scc = false, full = false, at_barrier = false, ended = false, waits_for_grid = false;
  uint32_t grid_phase = 0;  // of the grid's barrier when it arrived there
  uint32_t mode = 0;
  alignas(64) uint32_t scalars[kScalars] = {};
  alignas(64) uint32_t active_lanes[kMaxLanes] = {};  // all ones or zero
  // What the first lanes have of vector registers that are linear in the lane; see values.h. One more may be stored.
  alignas(64) uint32_t bases[2 * kAccumulators + 2] = {};
  // Of loads in code that is translated, and of the last store.
  uint64_t addresses[kAddresses + 1] = {};
  GroupedAddresses grouped[kGroupedAddresses];
  Rows vectors;
  uint32_t* rows;  // those of `vectors`
  WorkGroup* group = nullptr;
  const Program* program = nullptr;
  const Op* next = nullptr;
  // Memory of one lane after the other, `private_bytes` each.
  uint8_t* private_memory = nullptr;
  size_t private_bytes = 0;
  uint64_t instructions = 0;
};

}  // namespace hipport::emulate
