// SPDX-License-Identifier: MIT
// The checks of `hipport build --target cpu --sanitize`: see hooks.h. Compiled without instrumentation.
//
// Blocks run one at a time, on several operating system threads so that blocks that wait for others can let them run.
// Nothing here therefore needs a lock, except what the host's threads use.
#define HIPPORT_CHECKS 1
#include "findings.h"
#include "order.h"

#include <atomic>
#include <condition_variable>
#include <malloc.h>
#include <new>
#include <pthread.h>

// The bounds of the program's variables, from the linker.
extern "C" char __data_start, _end;

namespace hipport::cpu::checks {
namespace {

enum Kind : uint8_t { reads = 1, writes = 2, atomic = 4, is_volatile = 8 };

// A launch, and which blocks it had: the numbers from `first` on.
struct Launch {
  uint32_t first;
  LaunchFacts facts;
  uint64_t operation;
  StreamOrder::Clocks known;
};

// A copy between pinned host memory and the device that the host does not know to have ended.
struct Flight {
  uintptr_t start, end;
  bool device_writes;
  const void* stream;
  uint64_t operation;
  Trail trail;
};

// Lets blocks run one at a time, in the order in which they ask.
class Turn {
 public:
  void take() {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t mine = next_++;
    changed_.wait(lock, [&] { return serving_ == mine; });
  }
  void give() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++serving_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t next_ = 0, serving_ = 0;
};

// A race by a store that counts only if the store changes the memory, which is known at the next event.
struct Pending {
  uintptr_t address = 0;
  size_t size = 0;
  unsigned char before[16];
  Finding finding;
  uintptr_t at = 0, other = 0;
};

// A thread that reads the same memory again and again.
struct Spin {
  uint64_t progress = 0;
  unsigned tries = 0, rounds = 0;
};

struct Context {
  bool in_block = false, checked = false;
  unsigned thread = 0;
  uint32_t block = 0;
  BlockOrder order;
  bool has_pending = false;
  Pending pending;
  std::vector<Spin> spins;
  uintptr_t wrong = ~uintptr_t(0);  // reported already: it is going to fault
  BlockCalls calls{};
};

struct State {
  Arena& arena = Arena::instance();
  Findings& findings = Findings::instance();
  Turn turn;
  std::vector<Launch> launches;
  uint32_t next_block = 1;
  uint64_t progress = 0;
  bool quiet = false;
  std::unordered_map<uintptr_t, Cell> variable_cells;
  std::unordered_map<uintptr_t, std::unique_ptr<SyncVariable>> variables;
  std::vector<uint32_t> grid_clocks;  // of each block of a cooperative launch, at the grid's last barrier
  std::vector<uint32_t> grid_arrived;
  size_t grid_waiting = 0;
  uintptr_t heap_start = 0, stack_low = 0, stack_high = 0;
  std::recursive_mutex host_mutex;  // guards what follows; memory may be freed under it
  StreamOrder streams;
  std::vector<Flight> flights;
  std::atomic<bool> has_flights{false};
  std::vector<std::pair<uintptr_t, size_t>> registered;
  std::unordered_set<uintptr_t> ignored;  // code of hipport's libraries that reads device memory on the host
};

State& state() {
  static State& all = *new State;
  return all;
}

thread_local Context* context = nullptr;
thread_local const void* graph_stream = nullptr;
thread_local bool in_graph = false;

Context& here() {
  if (context == nullptr) context = new Context;
  return *context;
}

// ---- sites ----

char anchor;

// Return a number of 32 bits for an address of code: its distance from this program's, or else a number in a list.
class Sites {
 public:
  uint32_t number(uintptr_t address) {
    const uint64_t distance = address - reinterpret_cast<uintptr_t>(&anchor) + (uint64_t(1) << 30);
    if (distance < (uint64_t(1) << 31)) return uint32_t(distance) | kNear;
    const auto [found, is_new] = numbers_.try_emplace(address, uint32_t(far_.size()));
    if (is_new) far_.push_back(address);
    return found->second;
  }
  uintptr_t address(uint32_t number) const {
    if ((number & kNear) == 0) return far_[number];
    return (number & ~kNear) - (uint64_t(1) << 30) + reinterpret_cast<uintptr_t>(&anchor);
  }

 private:
  static constexpr uint32_t kNear = uint32_t(1) << 31;
  std::unordered_map<uintptr_t, uint32_t> numbers_;
  std::vector<uintptr_t> far_;
};
Sites sites;

// ---- actors ----

const Launch& launch_of(uint32_t block) {
  const auto& all = state().launches;
  const auto after = std::upper_bound(all.begin(), all.end(), block,
                                      [](uint32_t value, const Launch& one) { return value < one.first; });
  return *std::prev(after);
}

Actor actor(uint32_t block, unsigned thread, Trail trail) {
  const Launch& launch = launch_of(block);
  const LaunchFacts& facts = launch.facts;
  const uint32_t number = block - launch.first;
  Actor who;
  who.kernel = facts.kernel;
  who.block[0] = number % facts.grid[0];
  who.block[1] = number / facts.grid[0] % facts.grid[1];
  who.block[2] = number / facts.grid[0] / facts.grid[1];
  who.thread[0] = thread % facts.block[0];
  who.thread[1] = thread / facts.block[0] % facts.block[1];
  who.thread[2] = thread / facts.block[0] / facts.block[1];
  who.trail = std::move(trail);
  return who;
}

// The calling thread at an instruction. The trail behind it names the caller of functions that were not inlined.
Actor self(const Context& c, uintptr_t code) {
  Trail trail = call_trail(24);
  const auto found = std::find(trail.begin(), trail.end(), code);
  trail.erase(trail.begin(), found == trail.end() ? trail.begin() : found);
  if (found == trail.end() && code != 0) trail.insert(trail.begin(), code);
  return actor(c.block, c.thread, std::move(trail));
}

Actor host_actor(Trail trail) {
  Actor who;
  who.trail = std::move(trail);
  return who;
}

void about(Finding& finding, uintptr_t address) {
  finding.has_extent = state().arena.holds(address) && state().arena.nearest(address, &finding.extent);
}

std::string access_text(uint8_t kind, size_t size) {
  const char* const what = (kind & atomic) != 0 ? "an atomic operation" : (kind & writes) != 0 ? "a store" : "a load";
  return what + std::string(" of ") + std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

// ---- kernels: bounds and values ----

void flush_pending(Context& c) {
  if (!c.has_pending) return;
  c.has_pending = false;
  const Pending& pending = c.pending;
  if (std::memcmp(reinterpret_cast<void*>(pending.address), pending.before, pending.size) != 0)
    state().findings.add(pending.finding, pending.at, pending.other);
}

void report_kernel(Context& c, const char* kind, const std::string& message, uintptr_t code, uintptr_t address) {
  if (state().findings.is_known(kind, code, 0)) return;
  Finding finding{kind, message, self(c, code), {}};
  if (address != 0) about(finding, address);
  state().findings.add(finding, code);
}

void report_bounds(Context& c, uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  Extent extent{};
  const bool is_near = state().arena.nearest(address, &extent);
  const char* const name = is_near && extent.freed                      ? "use-after-free"
                           : is_near && extent.memory == Memory::shared ? "shared-out-of-bounds"
                                                                        : "out-of-bounds";
  if (state().findings.is_known(name, code, 0)) return;
  Finding finding{name, access_text(kind, size) + ": ", self(c, code), {}};
  finding.message += is_near ? describe(address, extent) : "no allocation is near";
  finding.extent = extent;
  finding.has_extent = is_near;
  state().findings.add(finding, code);
}

// Memory outside of the arena: the stacks of the threads, variables of the program, or memory of the host.
void foreign_access(Context& c, uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  State& all = state();
  if (address < 4096) {
    report_kernel(c, "out-of-bounds", access_text(kind, size) + ": a null pointer", code, 0);
    c.wrong = address;
    return;
  }
  const auto mine = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (address - mine + 65536 < (uintptr_t(1) << 20)) return;
  const bool is_heap = address >= all.heap_start && address < reinterpret_cast<uintptr_t>(sbrk(0));
  const bool is_stack = address >= all.stack_low && address < all.stack_high;
  if (is_heap || is_stack)
    report_kernel(c, "host-memory",
                  access_text(kind, size) + ": a kernel accesses memory of the host (" +
                      (is_heap ? "its heap" : "its stack") + ")",
                  code, 0);
}

bool holds_pattern(uintptr_t address, size_t size, int pattern) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(address);
  return std::all_of(bytes, bytes + size, [&](unsigned char byte) { return byte == pattern; });
}

// Structures are copied with their padding: only an access without any written byte counts.
void check_written(Context& c, uint8_t* states, uintptr_t address, size_t size, uintptr_t code) {
  for (size_t i = 0; i < size; ++i)
    if ((states[i] & is_written) != 0) return;
  if ((states[0] & is_shared) == 0 && !holds_pattern(address, size, Arena::kUnwritten)) {
    for (size_t i = 0; i < size; ++i) states[i] |= is_written;
    return;
  }
  const bool is_mine = (states[0] & is_shared) != 0;
  report_kernel(c, "uninitialized",
                access_text(reads, size) + (is_mine ? ": shared memory that the block has not written"
                                                    : ": device memory that nothing has written"),
                code, address);
}

// ---- kernels: races ----

unsigned wave_lanes = 64;

// Atomic operations do not race with each other, nor do volatile accesses, with which blocks and warps wait for each
// other. Volatile accesses of the lanes of a warp are no waiting, but a reliance on lockstep.
bool is_meant(const Slot& a, const Slot& b) {
  if ((a.kind & (atomic | is_volatile)) == 0 || (b.kind & (atomic | is_volatile)) == 0) return false;
  const bool is_one_warp = a.block == b.block && a.thread / wave_lanes == b.thread / wave_lanes;
  return (a.kind & b.kind & atomic) != 0 || !is_one_warp;
}

bool is_ordered(const Context& c, const Slot& slot) {
  State& all = state();
  const Launch& launch = all.launches.back();
  if (slot.block == 0) return true;
  if (slot.block < launch.first) {
    const Launch& before = launch_of(slot.block);
    return before.facts.stream == launch.facts.stream ||
           StreamOrder::includes(launch.known, before.facts.stream, before.operation);
  }
  if (!all.grid_clocks.empty() && slot.clock <= all.grid_clocks[slot.block - launch.first]) return true;
  return c.order.is_before(slot, c.thread);
}

constexpr const char* kInStep = " (--lockstep and `hipport run --emulate TARGET` run them in step)";

std::string race_message(const Context& c, const Slot& mine, const Slot& other, bool is_in_shared, unsigned wave_size) {
  const bool is_launch = other.block >= state().launches.back().first;
  if (!is_launch) return "kernels of two streams access the same address, and nothing orders them";
  if (other.block != c.block) return "threads of two blocks access the same address without synchronization";
  if (mine.thread / wave_size == other.thread / wave_size)
    return std::string("two lanes of a warp access the same address without __syncwarp between them") +
           (is_in_shared ? ", which works only if they run in step" : "") + (c.calls.step == nullptr ? kInStep : "");
  return "two threads of a block access the same address without a barrier between them";
}

void report_race(Context& c, const Slot& mine, const Slot& other, uintptr_t address, size_t size, bool is_in_shared,
                 uintptr_t code) {
  State& all = state();
  const uintptr_t there = sites.address(other.site);
  if (all.findings.is_known("race", code, there)) return;
  Finding finding{"race", race_message(c, mine, other, is_in_shared, wave_lanes), self(c, code),
                  actor(other.block, other.thread, {there})};
  about(finding, address);
  if (finding.has_extent) finding.message += ": " + describe(address, finding.extent);
  if (!all.arena.holds(address)) finding.message += ": a variable of the program";
  if ((mine.kind & (writes | atomic)) != writes || size > sizeof c.pending.before) {
    all.findings.add(finding, code, there);
    return;
  }
  c.has_pending = true;
  c.pending.address = address;
  c.pending.size = size;
  std::memcpy(c.pending.before, reinterpret_cast<void*>(address), size);
  c.pending.finding = std::move(finding);
  c.pending.at = code;
  c.pending.other = there;
}

// Return an access to the cell that conflicts with this one and is not ordered, or null.
const Slot* conflict(const Context& c, const Cell& cell, const Slot& mine) {
  const auto conflicts = [&](const Slot& before) {
    if ((before.bytes & mine.bytes) == 0 || (before.block == mine.block && before.thread == mine.thread)) return false;
    return !is_meant(before, mine) && !is_ordered(c, before);
  };
  if (conflicts(cell.write)) return &cell.write;
  if ((mine.kind & writes) != 0)
    for (const Slot& read : cell.reads)
      if (conflicts(read)) return &read;
  return nullptr;
}

void note(const Context& c, Cell& cell, const Slot& mine) {
  if ((mine.kind & writes) != 0) {
    const Slot& last = cell.write;
    const bool is_more = last.block == mine.block && last.thread == mine.thread && last.clock == mine.clock;
    const uint8_t bytes = is_more ? last.bytes | mine.bytes : mine.bytes;
    cell.write = mine;
    cell.write.bytes = bytes;
    for (Slot& read : cell.reads)
      if ((read.bytes & ~mine.bytes) == 0) read = {};
    return;
  }
  Slot& first = cell.reads[0];
  if (first.block == 0 || (first.block == mine.block && first.thread == mine.thread) ||
      (first.block != mine.block && is_ordered(c, first)) || first.block < state().launches.back().first)
    first = mine;
  else
    cell.reads[1] = mine;
}

// The program's own variables, of which `__device__` ones matter, have their cells elsewhere.
bool is_variable(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(&__data_start) && address < reinterpret_cast<uintptr_t>(&_end);
}

Cell& cell_of(uintptr_t address) {
  State& all = state();
  return all.arena.holds(address) ? all.arena.cell(address) : all.variable_cells[address / Arena::kWord];
}

void check_races(Context& c, uintptr_t address, size_t size, uint8_t kind, bool is_in_shared, uintptr_t code) {
  Slot mine{c.block, c.order.clock(c.thread), sites.number(code), uint16_t(c.thread), 0, kind};
  // Volatile accesses to global memory are how blocks wait for each other; lanes of a warp have __syncwarp.
  if (is_in_shared) mine.kind &= uint8_t(~is_volatile);
  bool is_found = false;
  for (uintptr_t at = address; at < address + size;) {
    const size_t within = at % Arena::kWord;
    const size_t bytes = std::min<size_t>(Arena::kWord - within, address + size - at);
    mine.bytes = uint8_t(((1u << bytes) - 1) << within);
    Cell& cell = cell_of(at);
    if (!is_found)
      if (const Slot* const other = conflict(c, cell, mine)) {
        is_found = true;
        report_race(c, mine, *other, address, size, is_in_shared, code);
      }
    note(c, cell, mine);
    at += bytes;
  }
}

// ---- kernels: waiting ----

constexpr unsigned kTries = 128, kRounds = 256, kRoundsInStep = 8;

[[noreturn]] void give_up(Context& c, uintptr_t code) {
  constexpr const char* kWaits = "waits for a value that no thread of the launch is going to write";
  // In step, the lane that waits and the one that it waits for may never part, as on AMD GPUs.
  constexpr const char* kApart = " while lanes run in step; without --lockstep each lane goes on by itself";
  constexpr const char* kTogether =
      "; if it relies on lanes in step, build with --lockstep, or use `hipport run --emulate TARGET`";
  report_kernel(c, "no-progress", std::string(kWaits) + (c.calls.step != nullptr ? kApart : kTogether), code, 0);
  std::fflush(stdout);
  state().findings.finish();
  std::_Exit(70);
}

// A read that may be one of a loop that waits: lets other threads run, and stops if none of them does anything.
void may_wait(Context& c, uintptr_t code) {
  Spin& spin = c.spins[c.thread];
  if (spin.progress != state().progress) spin = {state().progress, 0, 0};
  if (++spin.tries % kTries != 0) return;
  if (++spin.rounds > (c.calls.step != nullptr ? kRoundsInStep : kRounds)) give_up(c, code);
  c.calls.yield();
}

// Atomic operations say themselves whether they changed anything.
void note_progress(Context& c, uint8_t kind, uintptr_t code) {
  if ((kind & atomic) != 0) return;
  if ((kind & writes) != 0)
    ++state().progress;
  else if ((kind & is_volatile) != 0)
    may_wait(c, code);
}

void synchronize(Context& c, uintptr_t address, uint8_t kind) {
  State& all = state();
  const bool may_release = (kind & writes) != 0 && c.order.has_fence(c.thread);
  if (all.variables.empty() && !may_release) return;
  auto found = all.variables.find(address);
  if (found == all.variables.end()) {
    if (!may_release) return;
    found = all.variables.emplace(address, std::make_unique<SyncVariable>()).first;
  }
  SyncVariable& variable = *found->second;
  if ((kind & reads) != 0) c.order.acquire(c.thread, variable);
  if (!may_release) return;
  if (const Release* const release = c.order.release(c.thread, &variable)) variable.add(*release);
}

void kernel_access(Context& c, uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  State& all = state();
  flush_pending(c);
  const bool is_ours = all.arena.holds(address), is_common = is_ours || is_variable(address);
  if (is_common && c.calls.step != nullptr) c.calls.step(code);
  if (all.quiet) return is_common ? note_progress(c, kind, code) : void();
  if (!is_ours) {
    if (!is_common) return foreign_access(c, address, size, kind, code);
    if ((kind & (atomic | is_volatile)) != 0) synchronize(c, address, kind);
    check_races(c, address, size, kind, false, code);
    return note_progress(c, kind, code);
  }
  uint8_t* const states = all.arena.states(address);
  for (size_t i = 0; i < size; ++i)
    if ((states[i] & is_allocated) == 0) return report_bounds(c, address + i, size, kind, code);
  const bool is_in_shared = (states[0] & is_shared) != 0;
  if ((kind & reads) != 0) check_written(c, states, address, size, code);
  if ((kind & writes) != 0) {
    for (size_t i = 0; i < size; ++i) states[i] |= is_written;
  }
  if ((kind & atomic) != 0 || ((kind & is_volatile) != 0 && !is_in_shared)) synchronize(c, address, kind);
  check_races(c, address, size, kind, is_in_shared, code);
  note_progress(c, kind, code);
}

// ---- the host ----

// What the host did in a call of the API.
void report_host(const char* kind, const std::string& message, uintptr_t address, Trail trail, Actor other = {}) {
  State& all = state();
  const uintptr_t code = trail.empty() ? 0 : trail.back();
  Finding finding{kind, message, host_actor(std::move(trail)), std::move(other)};
  if (address != 0) about(finding, address);
  all.findings.add(finding, code);
}

// What the host did itself; hipport's libraries touch device memory freely.
void report_host_access(const char* kind, const std::string& message, uintptr_t address, Trail trail,
                        Actor other = {}) {
  State& all = state();
  if (all.findings.is_library(trail)) {
    all.ignored.insert(trail.front());
    return;
  }
  const uintptr_t code = trail.front();
  Finding finding{kind, message, host_actor(std::move(trail)), std::move(other)};
  about(finding, address);
  all.findings.add(finding, code);
}

Trail trail_from(uintptr_t code) {
  Trail trail = call_trail(24);
  const auto found = std::find(trail.begin(), trail.end(), code);
  if (found != trail.end()) trail.erase(trail.begin(), found);
  return trail;
}

void check_flights(uintptr_t address, size_t size, bool is_write, uintptr_t code) {
  State& all = state();
  const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
  for (const Flight& flight : all.flights) {
    if (address >= flight.end || address + size <= flight.start || !(is_write || flight.device_writes)) continue;
    if (all.ignored.count(code) != 0 || all.findings.is_known("unfinished-copy", code, 0)) return;
    report_host_access("unfinished-copy",
                       flight.device_writes ? "the host uses memory while an asynchronous copy writes to it"
                                            : "the host changes memory while an asynchronous copy reads it",
                       address, trail_from(code), host_actor(flight.trail));
    return;
  }
}

// Memory that kernels and the host share: has the host waited for the kernel?
void check_shared_use(uintptr_t address, bool is_write, uintptr_t code) {
  State& all = state();
  const Cell& cell = all.arena.cell(address);
  for (const Slot* const slot : {&cell.write, &cell.reads[0]}) {
    if (slot->block == 0 || (slot != &cell.write && !is_write)) continue;
    const Launch& launch = launch_of(slot->block);
    const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
    if (all.streams.host_knows(launch.facts.stream, launch.operation)) continue;
    if (all.ignored.count(code) != 0 || all.findings.is_known("unfinished-kernel", code, 0)) return;
    report_host_access("unfinished-kernel", "the host uses memory of a kernel that it has not waited for", address,
                       trail_from(code), actor(slot->block, slot->thread, {sites.address(slot->site)}));
    return;
  }
}

void host_access(uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  State& all = state();
  if (all.quiet) return;
  if (all.has_flights) check_flights(address, size, (kind & writes) != 0, code);
  if (!all.arena.holds(address)) return;
  const uint8_t byte = *all.arena.states(address);
  if ((byte & is_for_host) != 0) return check_shared_use(address, (kind & writes) != 0, code);
  const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
  if (all.ignored.count(code) != 0 || all.findings.is_known("host-access", code, 0)) return;
  Extent extent{};
  const bool is_near = all.arena.nearest(address, &extent);
  const bool is_freed = is_near && extent.freed;
  const bool is_visible = is_near && (extent.memory == Memory::host || extent.memory == Memory::managed);
  const char* const name = is_freed ? "use-after-free" : is_visible ? "out-of-bounds" : "host-access";
  report_host_access(
      name,
      access_text(kind, size) + " by the host: " + (is_near ? describe(address, extent) : "no allocation is near"),
      address, trail_from(code));
}

void check_alignment(Context& c, uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  if (state().quiet || !state().arena.holds(address)) return;
  report_kernel(c, "misaligned",
                access_text(kind, size) + " that is " + std::to_string(address % size) +
                    " bytes off its alignment of " + std::to_string(size),
                code, address);
}

inline void access(uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  Context* const c = context;
  if (c == nullptr || !c->in_block) return host_access(address, size, kind, code);
  if (!c->checked) return;
  c->checked = false;  // the checks may call functions that are instrumented
  kernel_access(*c, address, size, kind, code);
  c->checked = true;
}

inline void aligned_access(uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  Context* const c = context;
  if (address % size != 0 && c != nullptr && c->checked) {
    c->checked = false;
    check_alignment(*c, address, size, kind, code);
    c->checked = true;
  }
  access(address, size, kind, code);
}

// A long access: reported once, at its first wrong byte.
void access_range(uintptr_t address, size_t size, uint8_t kind, uintptr_t code) {
  for (size_t at = 0; at < size; at += 16) access(address + at, std::min<size_t>(16, size - at), kind, code);
}

// ---- ranges of the host API ----

bool check_range(uintptr_t address, size_t size, bool is_write) {
  State& all = state();
  if (size == 0 || !all.arena.holds(address)) return false;
  const uint8_t* const states = all.arena.states(address);
  const auto* const wrong = std::find_if(states, states + size, [](uint8_t one) { return (one & is_allocated) == 0; });
  if (wrong == states + size) return true;
  Extent extent{};
  const uintptr_t at = address + size_t(wrong - states);
  const bool is_near = all.arena.nearest(at == address ? at : at - 1, &extent);
  report_host(is_near && extent.freed ? "use-after-free" : "out-of-bounds",
              std::string(is_write ? "a copy or fill writes " : "a copy reads ") + std::to_string(size) +
                  " bytes: " + (is_near ? describe(at, extent) : "no allocation is near"),
              at, call_trail(24));
  return false;
}

bool is_pinned(uintptr_t address) {
  State& all = state();
  if (all.arena.holds(address)) return (*all.arena.states(address) & is_for_host) != 0;
  return std::any_of(all.registered.begin(), all.registered.end(),
                     [&](const auto& range) { return address - range.first < range.second; });
}

void add_flight(const void* memory, size_t size, bool device_writes, const void* stream, uint64_t operation) {
  const auto start = reinterpret_cast<uintptr_t>(memory);
  if (!is_pinned(start)) return;
  state().flights.push_back({start, start + size, device_writes, stream, operation, call_trail(24)});
  state().has_flights = true;
}

const void* stream_now(const void* stream) { return in_graph ? graph_stream : stream; }

// What the host has waited for is in flight no more.
void land() {
  State& all = state();
  auto& flights = all.flights;
  flights.erase(std::remove_if(flights.begin(), flights.end(),
                               [&](const Flight& one) { return all.streams.host_knows(one.stream, one.operation); }),
                flights.end());
  all.has_flights = !flights.empty();
}

void report_freed_in_flight(uintptr_t start, size_t size) {
  State& all = state();
  for (const Flight& flight : all.flights) {
    if (start >= flight.end || start + size <= flight.start) continue;
    report_host("unfinished-copy", "memory is freed while an asynchronous copy uses it", start, call_trail(24),
                host_actor(flight.trail));
    return;
  }
}

// One finding for each place that allocates.
void report_leaks() {
  std::map<Trail, std::pair<Extent, size_t>> places;
  for (const Extent& extent : state().arena.living()) {
    auto& [first, count] = places[extent.allocated_at];
    if (count++ == 0)
      first = extent;
    else
      first.size += extent.size;
  }
  for (const auto& [trail, found] : places) {
    const auto& [extent, count] = found;
    const std::string times = count == 1 ? "" : " in " + std::to_string(count) + " allocations";
    const std::string message =
        std::to_string(extent.size) + " bytes of " + memory_name(extent.memory) + times + " are never freed";
    state().findings.add({"leak", message, host_actor(trail), {}}, extent.start);
  }
}

void at_exit(int status, void*) {
  State& all = state();
  if (status == 0 && !all.quiet) report_leaks();
  const bool is_wrong = all.findings.count() != 0;
  std::fflush(stdout);
  all.findings.finish();
  if (status != 0 || !is_wrong) return;
  std::fflush(nullptr);
  std::_Exit(1);
}

uintptr_t start_of_heap() {
  uintptr_t start = reinterpret_cast<uintptr_t>(sbrk(0));
  FILE* const maps = std::fopen("/proc/self/maps", "re");
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr)
    if (std::strstr(line, "[heap]") != nullptr) start = std::strtoull(line, nullptr, 16);
  if (maps != nullptr) std::fclose(maps);
  return start;
}

// Before all else: the handler of the exit runs after all others.
[[gnu::constructor(101)]] void start() {
  mallopt(M_MMAP_MAX, 0);  // the host's heap is one range of addresses
  mallopt(M_ARENA_MAX, 1);
  state().heap_start = start_of_heap();
  on_exit(&at_exit, nullptr);
}

}  // namespace

// ---- hooks ----

void* allocate(size_t size, size_t alignment, Memory memory) {
  return state().arena.allocate(size, alignment, memory, memory == Memory::shared ? Trail() : call_trail(24));
}

bool release(void* pointer, const char* function) {
  State& all = state();
  const auto start = reinterpret_cast<uintptr_t>(pointer);
  Extent extent{};
  const bool is_near = all.arena.holds(start) && all.arena.nearest(start, &extent);
  if (is_near && extent.start == start && !extent.freed && extent.memory != Memory::shared) {
    {
      const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
      report_freed_in_flight(start, extent.size);
      if (extent.memory == Memory::device) all.streams.host_waits_for_all();  // hipFree waits for the device
      land();
    }
    return all.arena.release(start, call_trail(24));
  }
  const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
  if (is_near && extent.start == start && extent.freed)
    report_host("double-free", std::string(function) + " of memory that was freed before", start, call_trail(24));
  else if (is_near)
    report_host("invalid-free",
                std::string(function) + " of an address that is no start of an allocation: " + describe(start, extent),
                start, call_trail(24));
  else
    report_host("invalid-free", std::string(function) + " of memory that the runtime did not allocate", 0,
                call_trail(24));
  return false;
}

void release_shared(void* pointer) {
  if (pointer != nullptr) state().arena.release(reinterpret_cast<uintptr_t>(pointer), {});
}

void adopt(void* pointer, size_t size) {
  const std::lock_guard<std::recursive_mutex> lock(state().host_mutex);
  state().registered.emplace_back(reinterpret_cast<uintptr_t>(pointer), size);
}

void copying(void* to, const void* from, size_t size, const void* stream) {
  State& all = state();
  const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
  stream = stream_now(stream);
  const uint64_t operation = all.streams.submit(stream);
  const auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  const bool reads_ours = check_range(source, size, false), writes_ours = check_range(target, size, true);
  const bool from_device = reads_ours && (*all.arena.states(source) & is_for_host) == 0;
  const bool to_device = writes_ours && (*all.arena.states(target) & is_for_host) == 0;
  if (from_device && !to_device) {
    const uint8_t* const states = all.arena.states(source);
    const bool is_known = std::any_of(states, states + size, [](uint8_t one) { return (one & is_written) != 0; });
    if (!is_known && holds_pattern(source, size, Arena::kUnwritten))
      report_host("uninitialized", "the host copies device memory that nothing has written", source, call_trail(24));
    add_flight(to, size, true, stream, operation);
  }
  if (!to_device) return;
  uint8_t* const states = all.arena.states(target);
  if (from_device) {
    std::memmove(states, all.arena.states(source), size);
  } else {
    std::memset(states, is_allocated | is_written, size);
    add_flight(from, size, false, stream, operation);
  }
}

void filling(void* to, size_t size, const void* stream) {
  State& all = state();
  const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
  all.streams.submit(stream_now(stream));
  const auto target = reinterpret_cast<uintptr_t>(to);
  if (!check_range(target, size, true)) return;
  uint8_t* const states = all.arena.states(target);
  for (size_t i = 0; i < size; ++i) states[i] |= is_written;
}

#define HIPPORT_ON_STREAMS(signature, ...)                                \
  void signature {                                                        \
    const std::lock_guard<std::recursive_mutex> lock(state().host_mutex); \
    StreamOrder& streams = state().streams;                               \
    __VA_ARGS__;                                                          \
  }
HIPPORT_ON_STREAMS(stream_created(const void* stream, bool blocking), streams.create(stream, blocking))
HIPPORT_ON_STREAMS(stream_waits(const void* stream, const void* event), streams.wait(stream, event))
HIPPORT_ON_STREAMS(event_recorded(const void* event, const void* stream), streams.record(event, stream_now(stream)))
HIPPORT_ON_STREAMS(stream_done(const void* stream), streams.host_waits(stream); land())
HIPPORT_ON_STREAMS(event_done(const void* event), streams.host_waits_for_event(event); land())
HIPPORT_ON_STREAMS(device_done(), streams.host_waits_for_all(); land())
#undef HIPPORT_ON_STREAMS

void launching_graph(const void* stream, bool begins) {
  graph_stream = stream;
  in_graph = begins;
}

void begin_launch(const LaunchFacts& facts) {
  State& all = state();
  const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
  all.quiet = facts.quiet;
  Launch launch{all.next_block, facts, 0, {}};
  launch.facts.stream = stream_now(facts.stream);
  launch.operation = all.streams.submit(launch.facts.stream);
  launch.known = all.streams.known(launch.facts.stream);
  all.launches.push_back(launch);
  all.next_block += facts.grid[0] * facts.grid[1] * facts.grid[2];
  all.variables.clear();
  all.grid_clocks.clear();
  all.grid_arrived.clear();
  all.grid_waiting = 0;
  ++all.progress;
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
  }
  all.stack_low = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  all.stack_high = reinterpret_cast<uintptr_t>(low) + size;
}

void end_launch() {}

void begin_block(uint64_t number, unsigned threads, unsigned wave_size, BlockCalls calls) {
  State& all = state();
  all.turn.take();
  Context& c = here();
  c.in_block = true;
  c.checked = false;
  c.block = all.launches.back().first + uint32_t(number);
  c.calls = calls;
  c.spins.assign(threads, {});
  wave_lanes = wave_size;
  c.order.start(c.block, threads, wave_size);
  ++all.progress;
}

void end_block() {
  Context& c = here();
  flush_pending(c);
  c.in_block = c.checked = false;
  ++state().progress;
  state().turn.give();
}

void enter(unsigned thread) {
  Context& c = *context;
  flush_pending(c);
  c.thread = thread;
  c.checked = true;
}

void leave() {
  Context& c = *context;
  c.checked = false;
  flush_pending(c);
  ++state().progress;
}

void resume(unsigned thread) {
  if (context == nullptr || !context->in_block) return;
  flush_pending(*context);
  context->thread = thread;
}

bool pause() {
  Context* const c = context;
  if (c == nullptr || !c->checked) return false;
  c->checked = false;
  flush_pending(*c);
  return true;
}

void unpause(bool was_checked) {
  if (was_checked) context->checked = true;
}

void add_stack(const void*, size_t) {}

void shared_block(void* memory, size_t size) {
  const auto start = reinterpret_cast<uintptr_t>(memory);
  state().arena.fill(start, size, Memory::shared);
  state().arena.forget_accesses(start, size);
}

void barrier_met() {
  context->order.meet();
  ++state().progress;
}

void lanes_met(unsigned first, uint64_t lanes) { context->order.meet_lanes(first, lanes); }

void fence() {
  Context* const c = context;
  if (c == nullptr || !c->in_block) return;
  const Pause pause;
  c->order.fence(c->thread);
}

void let_others_run() {
  state().turn.give();
  state().turn.take();
}

void grid_waits() {
  Context& c = *context;
  State& all = state();
  const Launch& launch = all.launches.back();
  const size_t blocks = all.next_block - launch.first;
  all.grid_arrived.resize(blocks);
  all.grid_arrived[c.block - launch.first] = c.order.tick();
  c.order.meet();
  if (++all.grid_waiting == blocks) {
    all.grid_clocks = all.grid_arrived;
    all.grid_waiting = 0;
  }
  ++all.progress;
  all.turn.give();
}

void grid_met() { state().turn.take(); }

void different_barriers(unsigned thread, Place here_, unsigned other, Place there) {
  const Context& c = *context;
  Finding finding{"barrier-divergence", "threads of a block wait at different barriers", actor(c.block, thread, {}),
                  actor(c.block, other, {})};
  finding.at.line = here_.file + std::string(":") + std::to_string(here_.line);
  finding.other.line = there.file + std::string(":") + std::to_string(there.line);
  state().findings.add(finding, uintptr_t(here_.line), uintptr_t(there.line));
}

void stopping(const char* kind, unsigned thread, Place place, const char* message) {
  const Context& c = *context;
  Finding finding{kind, message, actor(c.block, thread, {}), {}};
  finding.at.line = place.file + std::string(":") + std::to_string(place.line);
  state().findings.add(finding, uintptr_t(place.line));
}

void faulted(const char* what, const void* address, const void* code) {
  Context* const c = context;
  if (c == nullptr || !c->in_block) return;
  c->checked = false;
  if (reinterpret_cast<uintptr_t>(address) == c->wrong) return;
  char text[80];
  std::snprintf(text, sizeof text, "%s at address %p", what, address);
  const auto place = reinterpret_cast<uintptr_t>(code) + 1;
  state().findings.add({"fault", text, actor(c->block, c->thread, {place}), {}}, place);
}

void finish() { state().findings.finish(); }

}  // namespace hipport::cpu::checks

// ---- what the compiler calls ----

namespace checks = hipport::cpu::checks;
using checks::access;

#define HIPPORT_CODE reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define HIPPORT_AT(pointer) reinterpret_cast<uintptr_t>(pointer)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define HIPPORT_ACCESS(name, size, kind) \
  void __tsan_##name##size(void* pointer) { access(HIPPORT_AT(pointer), size, checks::kind, HIPPORT_CODE); }
#define HIPPORT_ALIGNED_ACCESS(name, size, kind)                                   \
  void __tsan_##name##size(void* pointer) {                                        \
    checks::aligned_access(HIPPORT_AT(pointer), size, checks::kind, HIPPORT_CODE); \
  }
#define HIPPORT_ACCESSES(size)                                                             \
  HIPPORT_ALIGNED_ACCESS(read, size, reads)                                                \
  HIPPORT_ALIGNED_ACCESS(write, size, writes)                                              \
  HIPPORT_ACCESS(unaligned_read, size, reads)                                              \
  HIPPORT_ACCESS(unaligned_write, size, writes)                                            \
  void __tsan_volatile_read##size(void* pointer) {                                         \
    access(HIPPORT_AT(pointer), size, checks::reads | checks::is_volatile, HIPPORT_CODE);  \
  }                                                                                        \
  void __tsan_volatile_write##size(void* pointer) {                                        \
    access(HIPPORT_AT(pointer), size, checks::writes | checks::is_volatile, HIPPORT_CODE); \
  }                                                                                        \
  void __tsan_unaligned_volatile_read##size(void* pointer) {                               \
    access(HIPPORT_AT(pointer), size, checks::reads | checks::is_volatile, HIPPORT_CODE);  \
  }                                                                                        \
  void __tsan_unaligned_volatile_write##size(void* pointer) {                              \
    access(HIPPORT_AT(pointer), size, checks::writes | checks::is_volatile, HIPPORT_CODE); \
  }                                                                                        \
  void __tsan_read_write##size(void* pointer) {                                            \
    access(HIPPORT_AT(pointer), size, checks::reads, HIPPORT_CODE);                        \
    access(HIPPORT_AT(pointer), size, checks::writes, HIPPORT_CODE);                       \
  }
HIPPORT_ACCESSES(1)
HIPPORT_ACCESSES(2)
HIPPORT_ACCESSES(4)
HIPPORT_ACCESSES(8)
HIPPORT_ACCESSES(16)

void __tsan_read_range(void* pointer, size_t size) {
  checks::access_range(HIPPORT_AT(pointer), size, checks::reads, HIPPORT_CODE);
}
void __tsan_write_range(void* pointer, size_t size) {
  checks::access_range(HIPPORT_AT(pointer), size, checks::writes, HIPPORT_CODE);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void* __tsan_memcpy(void* to, const void* from, size_t size) {
  checks::access_range(HIPPORT_AT(from), size, checks::reads, HIPPORT_CODE);
  checks::access_range(HIPPORT_AT(to), size, checks::writes, HIPPORT_CODE);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, size_t size) {
  checks::access_range(HIPPORT_AT(from), size, checks::reads, HIPPORT_CODE);
  checks::access_range(HIPPORT_AT(to), size, checks::writes, HIPPORT_CODE);
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, size_t size) {
  checks::access_range(HIPPORT_AT(to), size, checks::writes, HIPPORT_CODE);
  return std::memset(to, value, size);
}
}

namespace hipport::cpu::checks {
namespace {

// An atomic operation. Those that order other accesses by themselves count as fences, too.
inline void before_atomic(const volatile void* pointer, size_t size, uint8_t kind, int order, uintptr_t code) {
  Context* const c = context;
  const bool is_checked = c != nullptr && c->checked;
  if (is_checked && (kind & writes) != 0 && order >= __ATOMIC_RELEASE) fence();
  access(HIPPORT_AT(pointer), size, uint8_t(kind | atomic), code);
}

inline void after_atomic(bool changed, uintptr_t code) {
  Context* const c = context;
  if (c == nullptr || !c->checked) return;
  if (changed) {
    ++state().progress;
  } else {
    c->checked = false;
    may_wait(*c, code);
    c->checked = true;
  }
}

template <typename T, typename F>
T update(volatile T* pointer, int order, uintptr_t code, F change) {
  before_atomic(pointer, sizeof(T), reads | writes, order, code);
  T old = __atomic_load_n(pointer, __ATOMIC_SEQ_CST);
  T fresh = change(old);
  while (!__atomic_compare_exchange_n(pointer, &old, fresh, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    fresh = change(old);
  after_atomic(old != fresh, code);
  return old;
}

template <typename T>
int exchange_if(volatile T* pointer, T* expected, T value, int order, uintptr_t code) {
  before_atomic(pointer, sizeof(T), reads | writes, order, code);
  const bool is_done = __atomic_compare_exchange_n(pointer, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  after_atomic(is_done, code);
  return is_done;
}

}  // namespace
}  // namespace hipport::cpu::checks

extern "C" {
#define HIPPORT_UPDATE(bits, T, name, result)                                                                  \
  T __tsan_atomic##bits##_##name(volatile T* pointer, T value, int order) {                                    \
    return checks::update<T>(pointer, order, HIPPORT_CODE, [value](T old) { return static_cast<T>(result); }); \
  }
#define HIPPORT_ATOMICS(bits, T)                                                                                 \
  T __tsan_atomic##bits##_load(const volatile T* pointer, int order) {                                           \
    checks::before_atomic(pointer, sizeof(T), checks::reads, order, HIPPORT_CODE);                               \
    checks::after_atomic(false, HIPPORT_CODE);                                                                   \
    return __atomic_load_n(pointer, __ATOMIC_SEQ_CST);                                                           \
  }                                                                                                              \
  void __tsan_atomic##bits##_store(volatile T* pointer, T value, int order) {                                    \
    checks::before_atomic(pointer, sizeof(T), checks::writes, order, HIPPORT_CODE);                              \
    __atomic_store_n(pointer, value, __ATOMIC_SEQ_CST);                                                          \
    checks::after_atomic(true, HIPPORT_CODE);                                                                    \
  }                                                                                                              \
  HIPPORT_UPDATE(bits, T, exchange, (void(old), value))                                                          \
  HIPPORT_UPDATE(bits, T, fetch_add, old + value)                                                                \
  HIPPORT_UPDATE(bits, T, fetch_sub, old - value)                                                                \
  HIPPORT_UPDATE(bits, T, fetch_and, old& value)                                                                 \
  HIPPORT_UPDATE(bits, T, fetch_or, old | value)                                                                 \
  HIPPORT_UPDATE(bits, T, fetch_xor, old ^ value)                                                                \
  HIPPORT_UPDATE(bits, T, fetch_nand, ~(old & value))                                                            \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* pointer, T* expected, T value, int order, int) { \
    return checks::exchange_if<T>(pointer, expected, value, order, HIPPORT_CODE);                                \
  }                                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* pointer, T* expected, T value, int order, int) {   \
    return checks::exchange_if<T>(pointer, expected, value, order, HIPPORT_CODE);                                \
  }                                                                                                              \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* pointer, T expected, T value, int order, int) {       \
    checks::exchange_if<T>(pointer, &expected, value, order, HIPPORT_CODE);                                      \
    return expected;                                                                                             \
  }
HIPPORT_ATOMICS(8, uint8_t)
HIPPORT_ATOMICS(16, uint16_t)
HIPPORT_ATOMICS(32, uint32_t)
HIPPORT_ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int) {
  if (checks::context != nullptr && checks::context->checked) checks::fence();
}
void __tsan_atomic_signal_fence(int) {}

// `-fsanitize=alignment`: a use of a pointer that is not aligned for its type.
struct HipportSource {
  const char* file;
  uint32_t line, column;
};
struct HipportMismatch {
  HipportSource place;
  const struct {
    uint16_t kind, info;
    char name[1];
  }* type;
  unsigned char log_alignment, use;
};
void __ubsan_handle_type_mismatch_v1(HipportMismatch* data, uintptr_t pointer) {
  checks::Context* const c = checks::context;
  const size_t alignment = size_t(1) << data->log_alignment;
  if (c == nullptr || !c->checked || pointer % alignment == 0 || checks::state().quiet) return;
  c->checked = false;
  const std::string message = std::string(data->use == 1 ? "a store" : "an access") + " through a pointer to " +
                              data->type->name + " that is " + std::to_string(pointer % alignment) +
                              " bytes off its alignment of " + std::to_string(alignment);
  checks::report_kernel(*c, "misaligned", message, HIPPORT_CODE, pointer);
  c->checked = true;
}

// Memory that kernels allocate: the linker redirects the program's calls.
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void __real_free(void* pointer);

static bool in_kernel() { return checks::context != nullptr && checks::context->checked; }

static void* kernel_memory(size_t size) {
  checks::context->checked = false;
  void* const memory = checks::allocate(size, 16, checks::Memory::heap);
  checks::context->checked = true;
  return memory;
}
static bool is_kernel_memory(void* pointer) { return checks::state().arena.holds(HIPPORT_AT(pointer)); }

void* __wrap_malloc(size_t size) { return in_kernel() ? kernel_memory(size) : __real_malloc(size); }
void* __wrap_calloc(size_t count, size_t size) {
  if (!in_kernel()) return __real_calloc(count, size);
  void* const memory = kernel_memory(count * size);
  std::memset(memory, 0, count * size);
  std::memset(checks::state().arena.states(HIPPORT_AT(memory)), checks::is_allocated | checks::is_written,
              count * size);
  return memory;
}
void __wrap_free(void* pointer) {
  if (pointer == nullptr) return;
  checks::State& all = checks::state();
  if (is_kernel_memory(pointer)) {
    const bool was_checked = checks::pause();
    checks::release(pointer, "free");
    checks::unpause(was_checked);
    return;
  }
  if (all.has_flights) {
    const std::lock_guard<std::recursive_mutex> lock(all.host_mutex);
    checks::report_freed_in_flight(HIPPORT_AT(pointer), 1);
  }
  __real_free(pointer);
}
}

[[gnu::weak]] void* operator new(size_t size) {
  void* const memory = in_kernel() ? kernel_memory(size) : __real_malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::weak]] void* operator new[](size_t size) { return operator new(size); }
[[gnu::weak]] void operator delete(void* pointer) noexcept { __wrap_free(pointer); }
[[gnu::weak]] void operator delete[](void* pointer) noexcept { __wrap_free(pointer); }
[[gnu::weak]] void operator delete(void* pointer, size_t) noexcept { __wrap_free(pointer); }
[[gnu::weak]] void operator delete[](void* pointer, size_t) noexcept { __wrap_free(pointer); }
