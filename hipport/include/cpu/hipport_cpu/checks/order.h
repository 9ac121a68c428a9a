// SPDX-License-Identifier: MIT
// What happens before what: threads of a block by barriers and cross-lane functions, threads of a launch by fences with
// atomic operations, launches by streams, events and the host's waiting.
#pragma once

#include "arena.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace hipport::cpu::checks {

class SyncVariable;

// What was learned by reading a synchronization variable: all that was released to it until a version.
struct Learned {
  const SyncVariable* variable;
  uint32_t version;
};

inline void learn(std::vector<Learned>& known, const Learned& fact) {
  for (Learned& one : known)
    if (one.variable == fact.variable) {
      one.version = std::max(one.version, fact.version);
      return;
    }
  known.push_back(fact);
}

// What a thread makes known to those who read what it writes after a fence.
struct Release {
  uint32_t block = 0, barrier = 0, clock = 0;
  unsigned thread = 0, first_lane = 0;
  std::shared_ptr<const std::vector<uint32_t>> lanes;  // what the thread knew of its wavefront
  std::vector<Learned> learned;

  bool covers(const Slot& slot) const {
    if (slot.block != block) return false;
    if (slot.clock <= barrier || (slot.thread == thread && slot.clock <= clock)) return true;
    const unsigned lane = slot.thread - first_lane;
    return lanes != nullptr && slot.thread >= first_lane && lane < lanes->size() && slot.clock <= (*lanes)[lane];
  }
};

// An address that atomic or volatile operations used after a fence: a log of what was released there.
class SyncVariable {
 public:
  void add(const Release& release) {
    ++version_;
    entries_[release.block].push_back({version_, release});
    for (const Learned& fact : release.learned)
      if (fact.variable != this) links_.push_back({version_, fact});
  }
  uint32_t version() const { return version_; }

  using Seen = std::unordered_set<const SyncVariable*>;
  bool covers(const Slot& slot, uint32_t version, Seen& seen) const {
    if (!seen.insert(this).second) return false;
    const auto found = entries_.find(slot.block);
    if (found != entries_.end())
      for (const auto& [position, release] : found->second)
        if (position <= version && release.covers(slot)) return true;
    for (const auto& [position, fact] : links_)
      if (position <= version && fact.variable->covers(slot, fact.version, seen)) return true;
    return false;
  }

 private:
  uint32_t version_ = 0;
  std::unordered_map<uint32_t, std::vector<std::pair<uint32_t, Release>>> entries_;
  std::vector<std::pair<uint32_t, Learned>> links_;
};

// The clocks of a block's threads. All share one counter; a thread's own clock is its value at its last synchronization.
class BlockOrder {
 public:
  void start(uint32_t block, unsigned threads, unsigned wave_size) {
    block_ = block;
    wave_size_ = wave_size;
    tick_ = 1;
    barrier_ = 0;
    threads_.assign(threads, {});
    lanes_.clear();
    learned_.clear();
  }

  uint32_t clock(unsigned thread) const { return std::max(threads_[thread].clock, barrier_ + 1); }
  uint32_t tick() const { return tick_; }

  void meet() {
    for (const unsigned thread : learners_)
      for (const Learned& fact : threads_[thread].learned) learn(learned_, fact);
    for (const unsigned thread : learners_) threads_[thread].learned.clear();
    learners_.clear();
    barrier_ = tick_++;
  }

  void meet_lanes(unsigned first, uint64_t lanes) {
    if (lanes_.empty()) lanes_.resize(threads_.size() * wave_size_);
    ++tick_;
    std::vector<uint32_t> latest(wave_size_);
    std::vector<Learned> all;
    each(lanes, [&](unsigned lane) {
      const uint32_t* const row = &lanes_[size_t(first + lane) * wave_size_];
      for (unsigned i = 0; i < wave_size_; ++i) latest[i] = std::max(latest[i], row[i]);
      latest[lane] = std::max(latest[lane], clock(first + lane));
      for (const Learned& fact : threads_[first + lane].learned) learn(all, fact);
    });
    each(lanes, [&](unsigned lane) {
      std::copy(latest.begin(), latest.end(), &lanes_[size_t(first + lane) * wave_size_]);
      threads_[first + lane].clock = tick_;
      for (const Learned& fact : all) add(first + lane, fact);
    });
  }

  void fence(unsigned thread) {
    Thread& mine = threads_[thread];
    mine.released = std::make_shared<Release>();
    Release& release = *mine.released;
    release.block = block_;
    release.barrier = barrier_;
    release.clock = clock(thread);
    release.thread = thread;
    release.first_lane = thread / wave_size_ * wave_size_;
    if (!lanes_.empty()) {
      const auto row = lanes_.begin() + std::ptrdiff_t(size_t(thread) * wave_size_);
      release.lanes = std::make_shared<std::vector<uint32_t>>(row, row + wave_size_);
    }
    release.learned = learned_;
    for (const Learned& fact : mine.learned) learn(release.learned, fact);
    mine.clock = ++tick_;
    mine.last = nullptr;
  }

  // What a thread releases by writing to `variable`; null if there was no fence, or if it is there already.
  const Release* release(unsigned thread, const SyncVariable* variable) {
    Thread& mine = threads_[thread];
    if (mine.released == nullptr || mine.last == variable) return nullptr;
    mine.last = variable;
    return mine.released.get();
  }
  bool has_fence(unsigned thread) const { return threads_[thread].released != nullptr; }

  void acquire(unsigned thread, const SyncVariable& variable) { add(thread, {&variable, variable.version()}); }

  // Return whether a thread of this block knows of an access in the same launch.
  bool is_before(const Slot& slot, unsigned thread) const {
    if (slot.block == block_) {
      if (slot.thread == thread || slot.clock <= barrier_) return true;
      if (!lanes_.empty() && slot.thread / wave_size_ == thread / wave_size_ &&
          slot.clock <= lanes_[size_t(thread) * wave_size_ + slot.thread % wave_size_])
        return true;
    }
    SyncVariable::Seen seen;
    for (const auto* known : {&threads_[thread].learned, &learned_})
      for (const Learned& fact : *known)
        if (fact.variable->covers(slot, fact.version, seen)) return true;
    return false;
  }

 private:
  struct Thread {
    uint32_t clock = 0;
    const SyncVariable* last = nullptr;
    std::shared_ptr<Release> released;
    std::vector<Learned> learned;
  };

  template <typename F>
  static void each(uint64_t lanes, F f) {
    for (; lanes != 0; lanes &= lanes - 1) f(unsigned(__builtin_ctzll(lanes)));
  }

  void add(unsigned thread, const Learned& fact) {
    if (threads_[thread].learned.empty()) learners_.push_back(thread);
    learn(threads_[thread].learned, fact);
  }

  uint32_t block_ = 0, tick_ = 1, barrier_ = 0;
  unsigned wave_size_ = 64;
  std::vector<Thread> threads_;
  std::vector<uint32_t> lanes_;   // for each thread, the clocks of its wavefront's lanes that it knows
  std::vector<Learned> learned_;  // by all threads
  std::vector<unsigned> learners_;
};

// The order of what streams do, as vector clocks: how many operations of each stream are known to have ended.
class StreamOrder {
 public:
  using Clocks = std::map<const void*, uint64_t>;

  void create(const void* stream, bool blocking) {
    if (!blocking) independent_.insert(stream);
  }

  // An operation begins: return its number.
  uint64_t submit(const void* stream) {
    Clocks& mine = streams_[stream];
    merge(mine, host_);
    if (stream == nullptr) {
      for (const auto& [other, clocks] : streams_)
        if (other != nullptr && independent_.count(other) == 0) merge(mine, Clocks(clocks));
    } else if (independent_.count(stream) == 0) {
      merge(mine, Clocks(streams_[nullptr]));
    }
    return mine[stream] = ++count_;
  }
  const Clocks& known(const void* stream) { return streams_[stream]; }

  void record(const void* event, const void* stream) { events_[event] = streams_[stream]; }
  void wait(const void* stream, const void* event) { merge(streams_[stream], events_[event]); }
  void host_waits(const void* stream) { merge(host_, streams_[stream]); }
  void host_waits_for_event(const void* event) { merge(host_, events_[event]); }
  void host_waits_for_all() {
    for (const auto& [stream, clocks] : streams_) merge(host_, clocks);
  }

  bool host_knows(const void* stream, uint64_t operation) const { return includes(host_, stream, operation); }
  static bool includes(const Clocks& clocks, const void* stream, uint64_t operation) {
    const auto found = clocks.find(stream);
    return found != clocks.end() && found->second >= operation;
  }

 private:
  static void merge(Clocks& to, const Clocks& from) {
    for (const auto& [stream, operation] : from) {
      uint64_t& known = to[stream];
      known = std::max(known, operation);
    }
  }

  uint64_t count_ = 0;
  Clocks host_;
  std::map<const void*, Clocks> streams_, events_;
  std::unordered_set<const void*> independent_;
};

}  // namespace hipport::cpu::checks
