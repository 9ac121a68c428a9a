// SPDX-License-Identifier: MIT
// How one thread of the host runs the work-groups of a launch: the registers that wavefronts begin with, and whose turn it is.
#pragma once

#include "barriers.h"
#include "grid.h"
#include "grid_sync.h"
#include "hostcall.h"
#include "modes.h"
#include "tools.h"
#include "watch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace hipport::emulate {

// The layout of `hsa_kernel_dispatch_packet_t`.
struct Packet {
  uint16_t header = 0, setup = 3, block_x = 1, block_y = 1, block_z = 1, reserved0 = 0;
  uint32_t grid_x = 1, grid_y = 1, grid_z = 1, private_bytes = 0, local_bytes = 0;
  uint64_t kernel = 0, arguments = 0, reserved1 = 0, signal = 0;
};

// kernel_code_properties of a descriptor.
enum : uint16_t {
  kPrivateBuffer = 1,
  kDispatchPointer = 2,
  kQueuePointer = 4,
  kArgumentPointer = 8,
  kDispatchNumber = 16,
  kFlatScratchInit = 32,
  kPrivateSize = 64
};

// How many sequences a wavefront runs before others do, and if it has waited for others.
constexpr unsigned kSlice = 100000, kShortSlice = 1000;
// How many sequences each wavefront runs in its turn, and how large the registers of all of them may be for that: they
// should stay in the host's first cache.
constexpr unsigned kTurn = 4;
constexpr size_t kTurnBytes = 24 << 10;
constexpr unsigned kLookEvery = 64;  // barriers

// Return whether a kernel may ask something of the host, such as to print: wavefronts do so one after the other.
inline bool asks_host(const Kernel& kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(), [](const Argument& argument) {
    return argument.kind == "hidden_hostcall_buffer" || argument.kind == "hidden_printf_buffer";
  });
}

// Runs work-groups one after the other.
class Runner {
 public:
  // `code` is that for all wavefronts of a row of threads at once, or none.
  Runner(const GridLaunch& launch, const std::vector<uint8_t>& arguments, const Packet& packet, const GridSync& sync,
         Watch& watch, const GroupCode& code = {})
      : launch_(launch),
        code_(code),
        observer_(watch),
        program_(launch.object->program(launch.kernel->lanes)),
        arguments_(arguments),
        packet_(packet) {
    const Descriptor& descriptor = launch.kernel->descriptor;
    const unsigned lanes = launch.kernel->lanes, threads = launch.block.x * launch.block.y * launch.block.z;
    group_.resize_local((descriptor.local_bytes + launch.dynamic_local_bytes + 511) / 512 * 512);
    const unsigned count = (threads + lanes - 1) / lanes;
    // The upper half are AGPRs on gfx90a and later.
    const unsigned registers = launch.object->processor().generation == 9 ? 512 : 256;
    const size_t size = Wave::rows_size(lanes, registers + 1);
    waves_.reserve(count);
    // Tools begin with registers that are 0.
    for (unsigned i = 0; i < count; ++i)
      waves_.emplace_back(lanes, has_tool() ? Rows(size) : program_.row_pool().take(size));
    private_bytes_ = (descriptor.private_bytes + (uses_dynamic_stack() ? 16384 : 0) + 15) / 16 * 16;
    private_.resize(size_t(private_bytes_) * lanes * count + 16);
    has_group_in_trap_registers_ = launch.object->processor().generation >= 12;
    mode_ = initial_mode();
    find_scalars();
    tool_ = make_tool({&launch,
                       &program_,
                       {{arguments_.data(), arguments_.size()},
                        {&packet_, sizeof packet_},
                        {queue_, sizeof queue_},
                        {&sync, sizeof sync}}});
    for (unsigned i = 0; i < count; ++i) prepare(waves_[i], i);
    const size_t bytes = size_t(launch.kernel->vector_registers) * lanes * 4 * count;
    takes_turns_ = tool_ == nullptr && count > 1 && bytes <= kTurnBytes && !asks_host(*launch.kernel);
    if (code_.run != nullptr && is_usual_mode(waves_.front())) prepare_rows();
  }
  ~Runner() {
    if (whole_ != nullptr) program_.row_pool().give(std::move(whole_->vectors));
    for (Wave& wave : waves_) program_.row_pool().give(std::move(wave.vectors));
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start(Size3 group) {
    group_number_ = group;
    group_.reset();
    observer_.start();
    for (size_t i = 0; i < waves_.size(); ++i) start(waves_[i], unsigned(i), group);
    if (tool_ != nullptr) tool_->start(group, waves_, scalars_);
  }

  // Run a work-group to its end. `when_long` is called if wavefronts run for long, with whether they stand still.
  template <typename F>
  void finish(Size3 group, const F& when_long) {
    if (whole_ != nullptr && run_rows(group)) return;
    if (tool_ == nullptr ? start_running(group) : (start(group), true))
      while (step()) when_long(observer_.stands());
  }

  // Run each wavefront to a barrier, to its end, or for a while: others may wait for it by reading memory. Return
  // whether any is left.
  bool step() {
    bool left = false, waiting = true;
    if (takes_turns_) take_turns();
    for (Wave& wave : waves_) {
      if (wave.ended || wave.at_barrier) continue;
      if (!takes_turns_) advance(wave);
      waiting &= wave.ended || wave.at_barrier;
    }
    if (waiting && tool_ != nullptr) tool_->meet();
    if (waiting) group_.is_signaled = false;
    for (Wave& wave : waves_) {
      left |= !wave.ended;
      if (waiting) wave.at_barrier = false;
    }
    answer_hostcalls();
    // Asking for the time takes as long as many a way to the next barrier.
    if (left && (!waiting || ++barriers_ % kLookEvery == 0)) observer_.look(waves_, group_number_);
    return left;
  }

  // Start a work-group, and run each wavefront as it starts if they take no turns. Return whether any is left for step().
  bool start_running(Size3 group) {
    group_number_ = group;
    group_.reset();
    observer_.start();
    bool left = false;
    for (size_t i = 0; i < waves_.size(); ++i) {
      start(waves_[i], unsigned(i), group);
      if (!takes_turns_ && !waves_[i].ended) advance(waves_[i]);
      left |= !waves_[i].ended;
    }
    if (!left) answer_hostcalls();
    return left;
  }

  void meet_at(GridResources* resources) { group_.grid = resources; }

 private:
  // Run each wavefront to a barrier, to its end, or for a while, a few sequences at a time. What wavefronts load in a loop
  // is mostly next to what the others do, and best loaded at about the same time.
  void take_turns() {
    bool any = true;
    for (unsigned i = 0; any && i < slice(); ++i) {
      any = false;
      for (Wave& wave : waves_)
        if (!wave.ended && !wave.at_barrier) any |= advance(wave, kTurn);
    }
  }

  // Run a wavefront to a barrier, to its end, or for a while.
  void advance(Wave& wave) { advance(wave, slice()); }
  unsigned slice() const { return observer_.has_stood() ? kShortSlice : kSlice; }
  // Run so many sequences at most. Return whether it may go on.
  bool advance(Wave& wave, unsigned most) {
    const Op* op = wave.next;
    try {
      if (tool_ != nullptr)
        for (unsigned i = 0; op != nullptr && i < most; ++i) op = tool_->step(wave, op);
      else if (is_usual_mode(wave))
        for (unsigned i = 0; op != nullptr && i < most; ++i) op = op->current()(wave, op);
      else
        for (unsigned i = 0; op != nullptr && i < most; ++i) op = run_in_mode(wave, op);
    } catch (const Fault& fault) {
      throw Fault(fault.what() + where(wave, op));
    }
    if (op != nullptr) wave.next = op;
    return op != nullptr;
  }

  // Where a fault is, as far as its message does not say it.
  std::string where(const Wave& wave, const Op* op) const {
    const auto number = [](uint32_t value) { return std::to_string(value); };
    const Size3& group = group_number_;
    return " [" + program_.place(op) + ", block (" + number(group.x) + ", " + number(group.y) + ", " + number(group.z) +
           "), wavefront " + std::to_string(&wave - waves_.data()) + "]";
  }

  bool uses_dynamic_stack() const { return launch_.kernel->descriptor.properties >> 11 & 1; }

  // Rounding and denormal numbers, and, up to gfx11, whether clamping makes NaN 0 and whether NaN are as in IEEE 754.
  uint32_t initial_mode() const {
    const uint32_t resources = launch_.kernel->descriptor.resources1, mode = resources >> 12 & 0xff;
    if (launch_.object->processor().generation >= 12) return mode;
    return mode | (resources >> 21 & 1) << 8 | (resources >> 23 & 1) << 9;
  }

  // Set what a wavefront has in all work-groups.
  void prepare(Wave& wave, unsigned number) {
    const unsigned lanes = wave.lanes, threads = launch_.block.x * launch_.block.y * launch_.block.z;
    const unsigned left = threads - number * lanes, registers = program_.first_vectors();
    wave.group = &group_;
    wave.program = &program_;
    wave.private_memory = private_.data() + size_t(number) * lanes * private_bytes_;
    wave.private_bytes = private_bytes_;
    wave.mode = mode_;
    wave.set_mask(kExec, left >= lanes ? wave.all() : (uint64_t(1) << left) - 1);
    find_threads(wave, number * lanes);
    // Where thread numbers are linear in the lane, their rows are not written.
    const uint64_t entry = launch_.kernel->entry_address;
    const Op* const linear = tool_ == nullptr && set_bases(wave, registers) ? program_.linear_start(entry) : nullptr;
    Beginning& found = beginnings_.emplace_back();
    found.first = linear != nullptr ? linear : program_.at(entry);
    found.active = wave.exec();
    std::copy(wave.bases, wave.bases + 3, found.bases);
    if (linear == nullptr) found.rows.assign(wave.v(0), wave.v(registers));
  }

  void start(Wave& wave, unsigned number, Size3 group) {
    const Beginning& found = beginnings_[number];
    wave.ended = whole_ != nullptr && is_done_[number];
    wave.at_barrier = wave.scc = false;
    wave.mode = mode_;
    wave.next = found.first;
    if (wave.lanes == 32) wave.scalars[kExec + 1] = 0;
    if (wave.exec() != found.active) wave.set_mask(kExec, found.active);
    std::memcpy(wave.bases, found.bases, sizeof found.bases);
    std::copy(found.rows.begin(), found.rows.end(), wave.v(0));
    set_scalars(wave, group);
  }

  // Make a wavefront that stands for those of a row of threads.
  void prepare_rows() {
    const unsigned lanes = launch_.kernel->lanes, threads = launch_.block.x;
    whole_ = std::make_unique<Wave>(threads, program_.row_pool().take(Wave::rows_size(threads, code_.rows)));
    whole_->group = &group_;
    whole_->program = &program_;
    whole_->mode = mode_;
    whole_->scalars[kExec] = ~0u;
    whole_->scalars[kExec + 1] = lanes == 64 ? ~0u : 0;
    is_done_.assign(waves_.size(), false);
  }

  // Run all wavefronts of each row of threads at once. Return false if some must start one by one: those of rows that are
  // not done.
  bool run_rows(Size3 group) {
    const unsigned of_row = launch_.block.x / launch_.kernel->lanes;
    bool all = true;
    for (size_t first = 0; first < waves_.size(); first += of_row) {
      std::copy(std::begin(beginnings_[first].bases), std::end(beginnings_[first].bases), whole_->bases);
      set_scalars(*whole_, group);
      const bool is_done = code_.run(*whole_, nullptr) == nullptr;
      std::fill_n(is_done_.begin() + first, of_row, is_done);
      all &= is_done;
    }
    return all;
  }

  void find_threads(Wave& wave, unsigned first) {
    const unsigned generation = launch_.object->processor().generation;
    const bool packed = generation != 10;  // since gfx90a, and since gfx11
    const unsigned width = launch_.block.x, height = launch_.block.y;
    for (unsigned i = 0; i < wave.lanes; ++i) {
      const unsigned thread = first + i, x = thread % width, y = thread / width % height, z = thread / width / height;
      wave.v(0)[i] = packed ? x | y << 10 | z << 20 : x;
      if (packed) continue;
      wave.v(1)[i] = y;
      wave.v(2)[i] = z;
    }
  }

  // Find the scalar registers that all wavefronts begin with, and where the numbers of the work-group go.
  void find_scalars() {
    const Descriptor& descriptor = launch_.kernel->descriptor;
    const uint16_t properties = descriptor.properties;
    unsigned next = 0;
    const auto add_pair = [&](uint64_t value) {
      first_scalars_[next++] = uint32_t(value);
      first_scalars_[next++] = uint32_t(value >> 32);
    };
    if (properties & kPrivateBuffer) {
      add_pair(uint64_t(kPrivateResource) << 32);
      add_pair(~uint64_t(0));
    }
    if (properties & kDispatchPointer) add_pair(reinterpret_cast<uint64_t>(&packet_));
    if (properties & kQueuePointer) add_pair(reinterpret_cast<uint64_t>(queue_));
    if (properties & kArgumentPointer) add_pair(reinterpret_cast<uint64_t>(arguments_.data()));
    if (properties & kDispatchNumber) add_pair(0);
    if (properties & kFlatScratchInit) add_pair(0);
    if (properties & kPrivateSize) first_scalars_[next++] = private_bytes_;
    const unsigned user = descriptor.resources2 >> 1 & 31;
    next = std::max(next, std::min(user, 16u));
    for (unsigned axis = 0; axis < 3; ++axis)
      if (descriptor.resources2 >> (7 + axis) & 1) group_scalars_[axis] = next++;
    if (descriptor.resources2 >> 10 & 1) ++next;
    if (descriptor.resources2 & 1) ++next;  // the wavefront's offset in private memory, which is 0
    scalars_ = next;
  }

  void set_scalars(Wave& wave, Size3 group) {
    std::copy(first_scalars_, first_scalars_ + 16, wave.scalars);
    if (scalars_ > 16) std::copy(first_scalars_ + 16, std::end(first_scalars_), wave.scalars + 16);
    wave.scalars[group_scalars_[0]] = group.x;
    wave.scalars[group_scalars_[1]] = group.y;
    wave.scalars[group_scalars_[2]] = group.z;
    if (!has_group_in_trap_registers_) return;
    wave.scalars[kTtmp + 9] = group.x;
    wave.scalars[kTtmp + 7] = group.y | group.z << 16;
  }

  const GridLaunch& launch_;
  const GroupCode code_;
  Observer observer_;
  bool takes_turns_ = false;
  unsigned barriers_ = 0;  // that the wavefronts have met at
  const Program& program_;
  const std::vector<uint8_t>& arguments_;
  const Packet& packet_;
  uint64_t queue_[64] = {};
  WorkGroupWithBarriers group_;
  std::vector<Wave> waves_;
  std::unique_ptr<Wave> whole_;  // those of a row of threads as one, or null
  std::vector<bool> is_done_;    // of wavefronts, where rows run at once
  uint32_t private_bytes_ = 0;
  std::vector<uint8_t> private_;
  // How a wavefront begins: the numbers of its threads as bases, if they are linear in the lane, or as rows.
  struct Beginning {
    const Op* first;
    uint64_t active;
    uint32_t bases[3];
    std::vector<uint32_t> rows;
  };
  std::vector<Beginning> beginnings_;
  unsigned scalars_ = 0;  // registers that are set at the start
  alignas(64) uint32_t first_scalars_[32] = {};
  unsigned group_scalars_[3] = {kNowhere, kNowhere, kNowhere};
  bool has_group_in_trap_registers_;
  uint32_t mode_;
  Size3 group_number_{};
  std::unique_ptr<Tool> tool_;
};

}  // namespace hipport::emulate
