// SPDX-License-Identifier: MIT
// The checks of `hipport run --check`: bounds, values that nothing wrote, races, divergent barriers.
#include "findings.h"
#include "modes.h"
#include "races.h"
#include "registers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>

namespace hipport::emulate {
namespace {

// What the checker knows of each operation of a program.
struct Facts {
  std::optional<AccessFacts> access;
  FlowFacts flow;
  bool is_barrier = false, is_branch = false;
  bool needs_lanes = false;  // does something for the active lanes
};

using AllFacts = std::vector<Facts>;

Facts facts_of(const Op& op) {
  const std::string_view name = op.name;
  Facts facts{access_facts(op), flow_facts(op)};
  facts.is_barrier = name == "s_barrier" || name == "s_barrier_wait";
  facts.is_branch = name.substr(0, 9) == "s_cbranch";
  facts.needs_lanes = name.substr(0, 2) != "s_" && name != "v_nop" && !(facts.access && facts.access->scalar) &&
                      name.find("_inv") == name.npos && name.find("_wb") == name.npos;
  return facts;
}

// Return the facts of a program, which are found once.
const AllFacts& facts_of(const Program& program) {
  static std::mutex mutex;
  static auto& known = *new std::map<const Program*, AllFacts>;
  const std::lock_guard lock(mutex);
  AllFacts& all = known[&program];
  if (all.size() != program.operations().size()) {
    all.clear();
    for (const Op& op : program.operations()) all.push_back(facts_of(op));
  }
  return all;
}

struct WaveState {
  Definedness defined;
  std::vector<uint8_t> private_written;  // a byte for each one of private memory
  uint64_t missing = 0;                  // lanes that were not active at a barrier
  uint64_t started = 0;                  // lanes that have a thread
  const Op* barrier = nullptr;
};

class Checker : public Tool {
 public:
  explicit Checker(const Watched& watched)
      : watched_(watched),
        facts_(facts_of(*watched.program)),
        first_(watched.program->operations().data()),
        allocated_(watched) {
    const Kernel& kernel = *watched.launch->kernel;
    local_bytes_ = kernel.descriptor.local_bytes + watched.launch->dynamic_local_bytes;
    thread_registers_ = watched.launch->object->processor().generation == 10 ? 3 : 1;
  }

  void start(Size3 group, std::vector<Wave>& waves, unsigned scalars) override {
    group_ = group;
    waves_ = waves.data();
    states_.resize(waves.size());
    local_written_.assign(waves.empty() ? 0 : waves[0].group->local.size(), 0);
    races_.start(waves.size());
    for (size_t i = 0; i < waves.size(); ++i) {
      WaveState& state = states_[i];
      state.defined.start(waves[i], scalars, thread_registers_);
      state.private_written.assign(waves[i].private_bytes * waves[i].lanes, 0);
      state.missing = 0;
      state.started = waves[i].exec();
    }
  }

  const Op* step(Wave& wave, const Op* op) override {
    const Facts& facts = facts_[size_t(op - first_)];
    WaveState& state = states_[size_t(&wave - waves_)];
    if (facts.needs_lanes && (state.missing & wave.exec()) != 0) check_divergence(wave, state, op);
    if (facts.access) return access(wave, state, op, *facts.access);
    if (facts.is_barrier) note_barrier(wave, state, op);
    if (facts.is_branch) check_branch(wave, state, op);
    const uint64_t before = wave.exec();
    state.defined.propagate(wave, op, facts.flow);
    const Op* const next = run_one(wave, op);
    if (facts.flow.writes_exec) check_exec(wave, state, op, before);
    return next;
  }

  void meet() override {
    const Op* first = nullptr;
    size_t which = 0;
    for (size_t i = 0; i < states_.size(); ++i) {
      const Wave& wave = waves_[i];
      if (wave.ended || !wave.at_barrier) continue;
      if (first == nullptr)
        first = states_[i].barrier, which = i;
      else if (states_[i].barrier != first && is_elsewhere(first, states_[i].barrier))
        add({"barrier-divergence",
             "wavefronts of a work-group wait at different barriers",
             states_[i].barrier,
             where(wave, 0),
             {first, where(waves_[which], 0)}});
    }
    races_.meet();
  }

 private:
  Thread where(const Wave& wave, unsigned lane) const {
    const Size3& block = watched_.launch->block;
    const unsigned number = unsigned(&wave - waves_) * wave.lanes + lane;
    return {group_, {number % block.x, number / block.x % block.y, number / block.x / block.y}};
  }
  void add(const Finding& finding) const { report(watched_, finding); }

  // The compiler may copy a barrier; one line is one barrier.
  bool is_elsewhere(const Op* a, const Op* b) const {
    const std::string line = watched_.program->line(a);
    return line.empty() || line != watched_.program->line(b);
  }

  // ---- barriers ----

  void note_barrier(const Wave& wave, WaveState& state, const Op* op) {
    state.barrier = op;
    state.missing = state.started & ~wave.exec();
  }

  // Threads that have returned are inactive at a barrier, and stay so. Others come back to life behind it.
  void check_divergence(const Wave& wave, WaveState& state, const Op* op) {
    const unsigned lane = unsigned(std::countr_zero(state.missing & wave.exec()));
    add({"barrier-divergence",
         "a thread did not take part in a barrier that other threads of its wavefront reached, "
         "and went on",
         state.barrier,
         where(wave, lane),
         {op, where(wave, lane)}});
    state.missing = 0;
  }

  // ---- values that nothing wrote ----

  std::string source_of(const Op* origin) const {
    if (origin == nullptr) return "a register that nothing wrote";
    const std::string line = watched_.program->line(origin);
    return std::string("memory that nothing wrote, read by ") + origin->name + (line.empty() ? "" : " at " + line);
  }

  void check_branch(const Wave& wave, const WaveState& state, const Op* op) const {
    const std::string_view name = op->name;
    bool is_undefined = false;
    if (name.find("scc") != name.npos) is_undefined = state.defined.scc();
    if (name.find("vcc") != name.npos) {
      const uint64_t unknown = state.defined.mask(kVcc, wave.lanes);
      is_undefined = unknown != 0 && (wave.mask(kVcc) & ~unknown) == 0;
    }
    if (is_undefined)
      add({"undefined-value", "a branch depends on a value that nothing wrote", op, where(wave, 0), {}});
  }

  void check_exec(const Wave& wave, WaveState& state, const Op* op, uint64_t before) const {
    const uint64_t unknown = state.defined.mask(kExec, wave.lanes) & before & state.started;
    state.defined.set_bits(kExec, 0);
    state.defined.set_bits(kExec + 1, 0);
    if (unknown == 0) return;
    add({"undefined-value",
         "whether a thread goes on depends on a value that nothing wrote",
         op,
         where(wave, unsigned(std::countr_zero(unknown))),
         {}});
  }

  void check_register(const Wave& wave, const WaveState& state, const Op* op, unsigned number, uint64_t lanes,
                      const char* what) const {
    const uint64_t unknown = state.defined.lanes(number) & lanes;
    if (unknown == 0) return;
    const Thread thread = where(wave, unsigned(std::countr_zero(unknown)));
    add({"undefined-value",
         std::string(what) + " comes from " + source_of(state.defined.origin(number)),
         op,
         thread,
         {state.defined.origin(number), thread}});
  }

  // ---- memory ----

  const Op* access(Wave& wave, WaveState& state, const Op* op, const AccessFacts& facts) {
    if (facts.scalar) return scalar_access(wave, state, op, facts);
    const uint64_t exec = wave.exec();
    if (facts.address >= 0)
      for (unsigned i = 0; i < facts.address_words; ++i)
        check_register(wave, state, op, op->operands[facts.address].number + i, exec, "an address");
    uint64_t wrong = 0;
    uint64_t unwritten[2] = {};  // lanes whose loads read bytes that nothing wrote
    uint8_t spaces = 0;
    for (unsigned number = 0; number < facts.count; ++number)
      for (uint64_t left = exec & ~wrong; left != 0; left &= left - 1) {
        const unsigned lane = unsigned(std::countr_zero(left));
        const Place place = place_of(wave, op, lane, number);
        spaces |= uint8_t(1u << unsigned(place.memory));
        if (place.memory == Memory::kNone) continue;
        if (!check_bounds(wave, op, facts, lane, place)) {
          wrong |= uint64_t(1) << lane;
          continue;
        }
        if (place.memory != Memory::kPrivate) check_race(wave, op, facts, lane, place, number);
        if (place.memory != Memory::kGlobal && shadow(wave, state, op, facts, lane, place, number))
          unwritten[number] |= uint64_t(1) << lane;
      }
    if (spaces & 1u << unsigned(Memory::kGlobal) || facts.atomic) check_data(wave, state, op, facts, exec);
    const Op* const next = run_without(wave, op, wrong);
    if (facts.result >= 0) set_result(wave, state, op, facts, exec, unwritten, wrong);
    return next;
  }

  // Perform an access for the lanes whose addresses are valid; the others load 0.
  static const Op* run_without(Wave& wave, const Op* op, uint64_t wrong) {
    if (wrong == 0) return run_one(wave, op);
    const uint64_t exec = wave.exec();
    wave.set_mask(kExec, exec & ~wrong);
    const Op* const next = run_one(wave, op);
    wave.set_mask(kExec, exec);
    return next;
  }

  void set_result(Wave& wave, WaveState& state, const Op* op, const AccessFacts& facts, uint64_t exec,
                  const uint64_t* unwritten, uint64_t wrong) const {
    const unsigned to = op->operands[facts.result].number;
    for (unsigned number = 0; number < facts.count; ++number)
      for (unsigned word = 0; word < facts.words; ++word) {
        const unsigned target = to + number * facts.words + word;
        state.defined.set_lanes(target, unwritten[number], exec, op);
        for (uint64_t left = wrong; left != 0; left &= left - 1) wave.v(target)[std::countr_zero(left)] = 0;
      }
  }

  const Op* scalar_access(Wave& wave, WaveState& state, const Op* op, const AccessFacts& facts) {
    const Place place = place_of(wave, op, 0, 0);
    const Operand& to = op->operands[0];
    for (unsigned i = 0; i < to.count; ++i) state.defined.set_bits(to.number + i, 0);
    // The compiler reads whole words.
    if (allocated_.contains(place.at, 1) && allocated_.contains(place.at + facts.bytes - 4, 1))
      return run_one(wave, op);
    add({"out-of-bounds", message("a scalar load", facts.bytes, place.at), op, where(wave, 0), {}});
    for (unsigned i = 0; i < to.count; ++i) wave.scalars[to.number + i] = 0;
    return op + 1;
  }

  std::string message(const std::string& what, unsigned bytes, uint64_t address) const {
    char text[64];
    std::snprintf(text, sizeof text, " of %u bytes at 0x%llx: ", bytes, static_cast<unsigned long long>(address));
    return what + text + allocated_.describe(address);
  }

  bool check_bounds(const Wave& wave, const Op* op, const AccessFacts& facts, unsigned lane, const Place& place) const {
    const char* const what = facts.atomic ? "an atomic operation" : facts.stores ? "a store" : "a load";
    if (place.memory == Memory::kGlobal) {
      if (allocated_.contains(place.at, facts.bytes)) return true;
      if (!is_reported(watched_, "out-of-bounds", op, nullptr))
        add({"out-of-bounds", message(what, facts.bytes, place.at), op, where(wave, lane), {}});
      return false;
    }
    const bool is_local = place.memory == Memory::kLocal;
    const uint64_t size = is_local ? local_bytes_ : wave.private_bytes;
    if (place.at + facts.bytes <= size) return true;
    add({is_local ? "shared-out-of-bounds" : "private-out-of-bounds",
         std::string(what) + " of " + std::to_string(facts.bytes) + " bytes at byte " + std::to_string(place.at) +
             " of " + std::to_string(size) + " of " + (is_local ? "shared memory" : "private memory"),
         op,
         where(wave, lane),
         {}});
    return false;
  }

  unsigned data_register(const Op* op, const AccessFacts& facts, unsigned number) const {
    return op->operands[facts.data[number != 0 && facts.data[1] >= 0]].number;
  }

  void check_data(const Wave& wave, const WaveState& state, const Op* op, const AccessFacts& facts,
                  uint64_t exec) const {
    if (facts.loads && !facts.atomic) return;
    if (facts.data[0] < 0) return;
    for (unsigned word = 0; word < facts.words; ++word)
      check_register(wave, state, op, op->operands[facts.data[0]].number + word, exec, "a value that is stored");
  }

  // Note which bytes of local or private memory are written. Return whether a load reads one that is not.
  bool shadow(const Wave& wave, WaveState& state, const Op* op, const AccessFacts& facts, unsigned lane,
              const Place& place, unsigned number) {
    uint8_t* const written = place.memory == Memory::kLocal
                                 ? local_written_.data() + place.at
                                 : state.private_written.data() + size_t(lane) * wave.private_bytes + place.at;
    bool is_unwritten = false;
    if (facts.loads || facts.atomic)
      for (unsigned i = 0; i < facts.bytes; ++i) is_unwritten |= written[i] == 0;
    if (facts.atomic) {
      std::memset(written, 1, facts.bytes);
    } else if (facts.stores) {
      const unsigned data = data_register(op, facts, number);
      for (unsigned word = 0; word < facts.words; ++word) {
        const bool is_defined = !(state.defined.lanes(data + word) >> lane & 1);
        std::memset(written + 4 * word, is_defined, std::min(4u, facts.bytes - 4 * word));
      }
    }
    return is_unwritten && facts.loads;
  }

  // Return whether a store leaves memory as it is.
  bool keeps(Wave& wave, const Op* op, const AccessFacts& facts, unsigned lane, const Place& place,
             unsigned number) const {
    if (!facts.stores) return false;
    const uint8_t* const now = place.memory == Memory::kLocal ? wave.group->local.data() + place.at
                                                              : reinterpret_cast<const uint8_t*>(place.at);
    const unsigned data = data_register(op, facts, number);
    for (unsigned word = 0; word < facts.words; ++word) {
      const uint32_t value = wave.v(data + word)[lane] >> (facts.high ? 16 : 0);
      if (std::memcmp(now + 4 * word, &value, std::min(4u, facts.bytes - 4 * word)) != 0) return false;
    }
    return true;
  }

  void check_race(Wave& wave, const Op* op, const AccessFacts& facts, unsigned lane, const Place& place,
                  unsigned number) {
    const unsigned index = unsigned(&wave - waves_);
    // Local memory has offsets, which are no addresses of the host.
    const uint64_t start = place.at + (place.memory == Memory::kLocal ? uint64_t(kLocalAperture) << 32 : 0);
    const bool is_kept = keeps(wave, op, facts, lane, place, number);
    Event event = races_.event(op, index, lane);
    races_.pass_on(start, index, facts.atomic, facts.loads, facts.stores || facts.atomic);
    for (uint64_t at = start; at < start + facts.bytes;) {
      const unsigned within = unsigned(at % 4),
                     bytes = unsigned(std::min<uint64_t>(4 - within, start + facts.bytes - at));
      event.bytes = uint8_t(((1u << bytes) - 1) << within);
      const Event* const other = races_.access(at, event, facts.stores || facts.atomic, facts.atomic, is_kept);
      if (other != nullptr && !is_reported(watched_, "race", op, other->op)) {
        const std::string memory = place.memory == Memory::kLocal
                                       ? "byte " + std::to_string(place.at) + " of shared memory"
                                       : allocated_.describe(place.at);
        add({"race",
             "two wavefronts access the same address without a barrier between them: " + memory,
             op,
             where(wave, lane),
             {other->op, where(waves_[other->wave], other->lane)}});
      }
      at += bytes;
    }
  }

  const Watched watched_;
  const AllFacts& facts_;
  const Op* const first_;
  const Allocated allocated_;
  uint32_t local_bytes_ = 0;
  unsigned thread_registers_ = 1;
  Size3 group_{};
  Wave* waves_ = nullptr;
  std::vector<WaveState> states_;
  std::vector<uint8_t> local_written_;
  Races races_;
};

}  // namespace

std::unique_ptr<Tool> make_checker(const Watched& watched) { return std::make_unique<Checker>(watched); }

}  // namespace hipport::emulate
