// SPDX-License-Identifier: MIT
#include "watch.h"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace hipport::emulate {
namespace {

constexpr double kUsualLimit = 10;  // seconds
// Work-groups that have waited may do so again.
constexpr auto kInterval = std::chrono::milliseconds(50), kShortInterval = std::chrono::milliseconds(2);
constexpr size_t kMostWaves = 4, kMostStates = 1 << 16;

// Return the limit in seconds; 0 for none.
double limit() {
  static const double found = [] {
    const char* const text = std::getenv("HIPPORT_EMULATE_WATCH");
    return text == nullptr || *text == 0 ? kUsualLimit : std::max(0.0, std::atof(text));
  }();
  return found;
}

// FNV-1a over words.
class Hash {
 public:
  void add(const uint32_t* words, size_t count) {
    for (size_t i = 0; i < count; ++i) value_ = (value_ ^ words[i]) * 0x100000001b3;
  }
  void add(uint64_t value) { value_ = (value_ ^ value) * 0x100000001b3; }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

uint64_t state_of(const Wave& wave, size_t number) {
  Hash hash;
  hash.add(number);
  hash.add(reinterpret_cast<uint64_t>(wave.next));
  hash.add(uint64_t(wave.scc) | uint64_t(wave.mode) << 1);
  hash.add(wave.scalars, kScalars);
  hash.add(wave.vectors.data(), wave.vectors.size());
  hash.add(wave.bases, std::size(wave.bases));
  return hash.value();
}

// Return the lanes of a mask: "0-3, 5".
std::string lanes_of(uint64_t mask) {
  std::string text;
  for (unsigned first = 0; first < kMaxLanes; ++first) {
    if ((mask >> first & 1) == 0) continue;
    unsigned last = first;
    while (last + 1 < kMaxLanes && (mask >> (last + 1) & 1)) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first) + (last == first ? "" : "-" + std::to_string(last));
    first = last;
  }
  return text;
}

}  // namespace

Watch::Watch(const GridLaunch& launch, const Program& program, const std::atomic<uint64_t>& begun)
    : launch_(launch),
      program_(program),
      begun_(begun),
      last_(std::chrono::steady_clock::now().time_since_epoch().count()),
      has_said_(limit() == 0) {}

void Watch::stands(Moment now, const std::vector<Wave>& waves, Size3 group) {
  if (const uint64_t begun = begun_; last_begun_.exchange(begun) != begun) return progressed(now);
  const Moment last{Moment::duration(last_.load())};
  if (has_said_ || std::chrono::duration<double>(now - last).count() < limit() || has_said_.exchange(true)) return;
  write(waves, group);
}

void Watch::write(const std::vector<Wave>& waves, Size3 group) const {
  const std::string name = hipport::cpu::demangled(launch_.kernel->name.c_str());
  std::string text = "hipport: the kernel " + name + " has made no progress for " + std::to_string(int(limit())) +
                     " s: its wavefronts repeat the same instructions with the same registers. It goes on.\n";
  char block[64];
  std::snprintf(block, sizeof block, "  block (%u, %u, %u), wavefront ", group.x, group.y, group.z);
  size_t left = 0;
  for (size_t i = 0, said = 0; i < waves.size(); ++i) {
    if (waves[i].ended) continue;
    if (said++ < kMostWaves)
      text += block + std::to_string(i) + place(waves[i]) + "\n";
    else
      ++left;
  }
  if (left != 0) text += "  and " + std::to_string(left) + " more wavefronts of the block\n";
  text += "  HIPPORT_EMULATE_WATCH is the number of seconds after which this is said, and 0 for never.\n";
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

std::string Watch::place(const Wave& wave) const {
  if (wave.at_barrier) return " waits at the barrier before " + program_.place(wave.next);
  return ", lanes " + lanes_of(wave.exec()) + ", at " + program_.place(wave.next);
}

void Observer::look(const std::vector<Wave>& waves, Size3 group) {
  const Moment now = std::chrono::steady_clock::now();
  if (now < next_) return;
  const bool is_first = next_ == Moment::min();
  next_ = now + (has_stood_ ? kShortInterval : kInterval);
  if (is_first) return;  // most work-groups end before
  if (known_.size() > kMostStates) known_.clear();
  bool is_new = false;
  for (size_t i = 0; i < waves.size(); ++i)
    if (!waves[i].ended) is_new |= known_.insert(state_of(waves[i], i)).second;
  is_new ? watch_.progressed(now) : watch_.stands(now, waves, group);
  stands_ = !is_new;
  has_stood_ |= stands_;
}

}  // namespace hipport::emulate
