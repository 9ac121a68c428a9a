// SPDX-License-Identifier: MIT
// Counts what kernels execute, by instruction, and what they move, by memory.
#include "tools.h"
#include "modes.h"
#include "tool_report.h"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_set>

namespace hipport::emulate {
namespace {

constexpr uint64_t kBanks = 32, kBankBytes = 4;

struct Count {
  uint64_t waves = 0, lanes = 0;
};

// All launches of a kernel.
struct Totals {
  const Kernel* kernel = nullptr;
  std::string target;
  uint64_t launches = 0, groups = 0, threads = 0;
  unsigned block_threads = 0;
  uint32_t local_bytes = 0;
  std::map<std::string, Count> counts;
  std::map<std::string, uint64_t> lines;
  uint64_t loaded = 0, stored = 0, atomic = 0, requests = 0;  // global memory: bytes, and cache lines asked for
  uint64_t distinct = 0;                                      // cache lines, each counted once for a launch
  uint64_t local_loaded = 0, local_stored = 0, local_accesses = 0, conflicts = 0;
  uint64_t private_bytes = 0, scalar_bytes = 0;
};

struct Profile {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, Totals> kernels;
  // The launch that runs now, and its cache lines.
  std::unordered_set<uint64_t> touched;
  Totals* current = nullptr;
};
Profile& profile() {
  static Profile& all = *new Profile;
  return all;
}

void end_launch(Profile& all) {
  if (all.current != nullptr) all.current->distinct += all.touched.size();
  all.touched.clear();
  all.current = nullptr;
}

unsigned line_bytes(std::string_view processor) { return processor == "gfx90a" ? 64 : 128; }

class Profiler : public Tool {
 public:
  explicit Profiler(const Watched& watched)
      : watched_(watched),
        first_(watched.program->operations().data()),
        line_bytes_(line_bytes(watched.launch->object->processor().name)),
        counts_(watched.program->operations().size()) {
    for (const Op& op : watched.program->operations()) facts_.push_back(access_facts(op));
  }

  ~Profiler() override { add_to_totals(); }

  void start(Size3, std::vector<Wave>& waves, unsigned) override {
    ++groups_;
    waves_ = waves.size();
  }

  const Op* step(Wave& wave, const Op* op) override {
    const size_t index = size_t(op - first_);
    ++counts_[index].waves;
    counts_[index].lanes += unsigned(std::popcount(wave.exec()));
    if (facts_[index]) access(wave, op, *facts_[index]);
    return run_one(wave, op);
  }

 private:
  void access(Wave& wave, const Op* op, const AccessFacts& facts) {
    if (facts.scalar) {
      mine_.scalar_bytes += facts.bytes;
      touched_.insert(place_of(wave, op, 0, 0).at / line_bytes_);
      return;
    }
    for (unsigned number = 0; number < facts.count; ++number) {
      uint64_t offsets[kMaxLanes], lines[kMaxLanes];
      unsigned locals = 0, globals = 0;
      for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
        const Place place = place_of(wave, op, unsigned(std::countr_zero(left)), number);
        if (place.memory == Memory::kLocal) offsets[locals++] = place.at;
        if (place.memory == Memory::kGlobal) lines[globals++] = place.at / line_bytes_;
        if (place.memory == Memory::kPrivate) mine_.private_bytes += facts.bytes;
      }
      const uint64_t local_bytes = uint64_t(locals) * facts.bytes, global_bytes = uint64_t(globals) * facts.bytes;
      (facts.stores ? mine_.local_stored : mine_.local_loaded) += local_bytes;
      (facts.atomic ? mine_.atomic : facts.stores ? mine_.stored : mine_.loaded) += global_bytes;
      if (locals != 0) count_conflicts(offsets, locals, facts.bytes, facts.atomic);
      std::sort(lines, lines + globals);
      const size_t distinct = size_t(std::unique(lines, lines + globals) - lines);
      mine_.requests += distinct;
      touched_.insert(lines, lines + distinct);
    }
  }

  // Lanes are served in groups that move at most 128 bytes; a bank serves one address of a group at a time, for all
  // lanes that read it.
  void count_conflicts(const uint64_t* offsets, unsigned count, unsigned bytes, bool atomic) {
    const unsigned words = std::max(1u, bytes / 4), together = std::max<unsigned>(1, unsigned(kBanks) / words);
    ++mine_.local_accesses;
    for (unsigned first = 0; first < count; first += together) {
      std::vector<uint64_t> by_bank[kBanks];
      size_t most = 1;
      for (unsigned i = first; i < std::min(count, first + together); ++i)
        for (unsigned word = 0; word < words; ++word) {
          const uint64_t address = offsets[i] / kBankBytes + word;
          std::vector<uint64_t>& bank = by_bank[address % kBanks];
          if (atomic || std::find(bank.begin(), bank.end(), address) == bank.end()) bank.push_back(address);
          most = std::max(most, bank.size());
        }
      mine_.conflicts += most - 1;
    }
  }

  void add_to_totals() {
    const GridLaunch& launch = *watched_.launch;
    Profile& all = profile();
    const std::lock_guard lock(all.mutex);
    const std::string target(launch.object->processor().name);
    Totals& to = all.kernels[{launch.kernel->name, target}];
    if (all.current == nullptr) ++to.launches;
    all.current = &to;
    all.touched.insert(touched_.begin(), touched_.end());
    to.kernel = launch.kernel;
    to.target = target;
    to.groups += groups_;
    to.block_threads = std::max(to.block_threads, launch.block.x * launch.block.y * launch.block.z);
    to.local_bytes = std::max(to.local_bytes, launch.kernel->descriptor.local_bytes + launch.dynamic_local_bytes);
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i].waves == 0) continue;
      Count& count = to.counts[first_[i].name];
      count.waves += counts_[i].waves;
      count.lanes += counts_[i].lanes;
      const std::string line = watched_.program->line(&first_[i]);
      if (!line.empty()) to.lines[line] += counts_[i].waves;
    }
    for (const auto member : {&Totals::loaded, &Totals::stored, &Totals::atomic, &Totals::requests,
                              &Totals::local_loaded, &Totals::local_stored, &Totals::local_accesses, &Totals::conflicts,
                              &Totals::private_bytes, &Totals::scalar_bytes})
      to.*member += mine_.*member;
  }

  const Watched watched_;
  const Op* const first_;
  const unsigned line_bytes_;
  std::vector<Count> counts_;
  std::vector<std::optional<AccessFacts>> facts_;
  Totals mine_;
  std::unordered_set<uint64_t> touched_;
  uint64_t groups_ = 0;
  size_t waves_ = 0;
};

std::string number(const char* name, uint64_t value) {
  return std::string(", \"") + name + "\": " + std::to_string(value);
}

std::string as_json(const Totals& all) {
  const Kernel& kernel = *all.kernel;
  std::string text = "{\"kernel\": " + json_text(hipport::cpu::demangled(kernel.name.c_str())) +
                     ", \"symbol\": " + json_text(kernel.name) + ", \"target\": " + json_text(all.target);
  text += number("wavefront", kernel.lanes) + number("launches", all.launches) + number("groups", all.groups) +
          number("block", all.block_threads) + number("vgprs", kernel.vector_registers) +
          number("sgprs", kernel.scalar_registers) + number("lds", all.local_bytes) +
          number("private", kernel.descriptor.private_bytes) + number("resources1", kernel.descriptor.resources1) +
          number("line_bytes", line_bytes(all.target));
  text += ", \"global\": {\"loaded\": " + std::to_string(all.loaded) + number("stored", all.stored) +
          number("atomic", all.atomic) + number("requests", all.requests) + number("distinct_lines", all.distinct) +
          "}";
  text += ", \"shared\": {\"loaded\": " + std::to_string(all.local_loaded) + number("stored", all.local_stored) +
          number("accesses", all.local_accesses) + number("conflicts", all.conflicts) + "}";
  text += number("scratch_bytes", all.private_bytes) + number("scalar_bytes", all.scalar_bytes);
  text += ", \"instructions\": {";
  const char* separator = "";
  for (const auto& [name, count] : all.counts) {
    text +=
        separator + json_text(name) + ": [" + std::to_string(count.waves) + ", " + std::to_string(count.lanes) + "]";
    separator = ", ";
  }
  text += "}, \"lines\": {";
  separator = "";
  for (const auto& [name, count] : all.lines) {
    text += separator + json_text(name) + ": " + std::to_string(count);
    separator = ", ";
  }
  return text + "}}";
}

}  // namespace

std::unique_ptr<Tool> make_profiler(const Watched& watched) { return std::make_unique<Profiler>(watched); }

void begin_profiled_launch() {
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  end_launch(all);
}

void finish_profile() {
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  end_launch(all);
  for (const auto& [name, totals] : all.kernels) report_line(as_json(totals));
}

}  // namespace hipport::emulate
