// SPDX-License-Identifier: MIT
// Kernels whose threads run together, from one barrier to the next. `hipport build --target cpu` rewrites kernels in
// which all barriers are passed by the whole block, so that the kernel's function is called once for a block and
// contains loops over its threads ("regions"), which the compiler can vectorize:
//
//   constexpr bool hipport_together = ...; HIPPORT_REGIONS(false)
//   PerThread<float, hipport_together> hipport_sum(hipport_regions);
//   HIPPORT_EACH auto& sum = hipport_sum.make(hipport_thread, in[threadIdx.x]); ... HIPPORT_END
//   hipport_regions.barrier();
//   HIPPORT_EACH auto& sum = hipport_sum[hipport_thread]; ... HIPPORT_END
//
// If `hipport_together` is false, the function is called for every thread as it is without the rewriting: a region is
// executed once, and the barrier waits. That is so where every thread has to be seen by itself: with sanitizers and
// checks, and without optimization.
#pragma once

#include "sync.h"

#include <limits>
#include <new>

namespace hipport::cpu {

#if defined(__OPTIMIZE__) && !HIPPORT_ASAN && !HIPPORT_NO_REGIONS
inline constexpr bool runs_together = !checks::enabled && !sanitizers::races;
#else
inline constexpr bool runs_together = false;
#endif

// The same for kernels with one region. g++ vectorizes fewer of these than of the loop that calls the kernel for every
// thread: the addition of two vectors took 2.7 times as long.
#if defined(__clang__)
inline constexpr bool runs_region_together = runs_together;
#else
inline constexpr bool runs_region_together = false;
#endif

// Whether memory for many variables of a type may be used without constructing and destroying them.
template <typename T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;

// In place of an initializer: all elements of an array are 0.
struct Zero {};

// Memory for the variables of threads, one stack per worker.
class ThreadMemory {
 public:
  static constexpr size_t capacity = size_t(1) << 20, alignment = 64;

  void* take(size_t bytes) {
    if (used_ + bytes > capacity) return nullptr;
    if (memory_ == nullptr) memory_.reset(static_cast<char*>(allocate_plain(capacity)));
    used_ += bytes;
    return memory_.get() + used_ - bytes;
  }
  void give_back(size_t bytes) { used_ -= bytes; }

  static void* allocate_plain(size_t bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, bytes) != 0) stop("out of memory for the variables of threads");
    return memory;
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  size_t used_ = 0;
};

inline thread_local ThreadMemory thread_memory;

template <bool Together, bool Leaves>
class Regions;

// Calls regions for all threads of the block.
//
// Between two barriers nothing orders the threads of a block, so that they may as well execute every instruction side
// by side. That is what "assume_safety" and "ivdep" permit: the compiler need not prove that a thread does not access
// what another one writes. Atomic accesses are not vectorized.
template <bool Leaves>
class Regions<true, Leaves> {
 public:
  Regions() : block_(block_here("a kernel")), size_(::blockDim) {
    block_.begin_together();
    if constexpr (Leaves) std::memset(left_, 0, threads());
  }
  ~Regions() { block_.end_together(); }
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  unsigned threads() const { return size_.x * size_.y * size_.z; }
  void barrier() {}

  template <typename Region>
  [[gnu::always_inline]] void each(Region region) {
    Box box{{}, size_, 0};
    if (block_.is_retraced()) box = first_thread();
    do {
      const Box threads = box;  // which nothing else can change
      unsigned row = threads.number;
      for (unsigned z = threads.low.z; z < threads.high.z; ++z) {
        for (unsigned y = threads.low.y; y < threads.high.y; ++y, row += size_.x) {
          const unsigned start = row - threads.low.x;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety) interleave_count(1)
#else
#pragma GCC ivdep
#endif
          for (unsigned x = threads.low.x; x < threads.high.x; ++x) {
            if constexpr (Leaves) {
              if (left_[start + x] == 0) region(uint3(x, y, z), start + x);
            } else {
              region(uint3(x, y, z), start + x);
            }
          }
        }
      }
    } while (__builtin_expect(block_.is_retraced(), 0) && next_thread(box));
  }

  // Execute `for (T i = start(); i < bound; i += step) body(i)` for all threads; with `Inclusive` the loop has `<=`.
  // `start` grows by 1 from a thread to its neighbor in x.
  //
  // The threads go through the loop side by side, so that neighbors access neighboring elements at a time. If a number
  // might be too large for this, since threads that have reached the bound count on, one thread goes after the other.
  template <typename T, bool Inclusive, typename Bound, typename Step, typename Start, typename Body>
  [[gnu::always_inline]] void strided(const Bound& bound, const Step& step, Start start, Body body) {
    const auto goes_on = [&](T i) { return Inclusive ? i <= bound : i < bound; };
    T low, high;
    if (!find_starts(start, low, high) || !is_small(low, high, bound, step)) {
      each([&](const uint3& index, unsigned thread) __attribute__((always_inline)) {
        for (T i = start(index, thread); goes_on(i); i += step) body(index, thread, i);
      });
      return;
    }
    for (T done = 0; goes_on(low + done); done += step) {
      if (goes_on(high + done)) {
        each([&](const uint3& index, unsigned thread)
                 __attribute__((always_inline)) { body(index, thread, static_cast<T>(start(index, thread) + done)); });
      } else {
        each([&](const uint3& index, unsigned thread) __attribute__((always_inline)) {
          const T i = start(index, thread) + done;
          if (goes_on(i)) body(index, thread, i);
        });
      }
    }
  }

  // The thread ends here.
  void leave(unsigned thread) { left_[thread] = 1; }

  // Return whether all threads have ended.
  bool ended() const {
    unsigned count = 0;
    for (unsigned thread = 0; thread < threads(); ++thread) count += left_[thread];
    return count == threads();
  }

 private:
  // Find the least and the greatest start of a thread; return whether none has wrapped around.
  template <typename T, typename Start>
  [[gnu::always_inline]] bool find_starts(Start start, T& low, T& high) const {
    low = high = start(uint3(0, 0, 0), 0u);
    for (unsigned row = 0; row < size_.y * size_.z; ++row) {
      const uint3 index(0, row % size_.y, row / size_.y);
      const T first = start(index, row * size_.x);
      const T last = start(uint3(size_.x - 1, index.y, index.z), row * size_.x + size_.x - 1);
      if (last < first) return false;
      low = std::min(low, first);
      high = std::max(high, last);
    }
    return true;
  }

  // Return whether all numbers of a loop are positive and far from the end of their type.
  template <typename T, typename Bound, typename Step>
  static bool is_small(T low, T high, Bound bound, Step step) {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<Bound> && std::is_integral_v<Step> && sizeof(T) >= 4) {
      constexpr T limit = std::numeric_limits<T>::max() / 8;
      if (low < 0 || high < low || high >= limit || bound <= 0 || step <= 0) return false;
      return static_cast<uint64_t>(bound) < static_cast<uint64_t>(limit) &&
             static_cast<uint64_t>(step) < static_cast<uint64_t>(limit);
    } else {
      return false;
    }
  }

  // Threads from one index to another, and the number of the first. All of the block, or one thread after the other
  // where a fault is looked for.
  struct Box {
    uint3 low;
    dim3 high;
    unsigned number;
  };

  [[gnu::noinline]] Box first_thread() {
    block_.retraces(0);
    return {{}, dim3(1, 1, 1), 0};
  }

  // Go on to the next thread; return whether there is one.
  [[gnu::noinline]] bool next_thread(Box& box) {
    const unsigned next = box.number + 1;
    const bool is_last = next == threads();
    block_.retraces(is_last ? 0 : next);  // 0 for what all threads do, up to the next region
    const uint3 low(next % size_.x, next / size_.x % size_.y, next / size_.x / size_.y);
    box = {low, dim3(low.x + 1, low.y + 1, low.z + 1), next};
    return !is_last;
  }

  Block& block_;
  const dim3 size_;
  unsigned char left_[Leaves ? max_threads : 1];
};

// Calls regions for the running thread.
template <bool Leaves>
class Regions<false, Leaves> {
 public:
  Regions() = default;
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  unsigned threads() const { return 1; }

  [[gnu::always_inline]] void barrier(HIPPORT_CALLER) {
    block_here("__syncthreads").barrier(0, "__syncthreads", HIPPORT_HERE);
  }

  template <typename Region>
  [[gnu::always_inline]] void each(Region region) {
    region(::threadIdx, 0u);
  }

  template <typename T, bool Inclusive, typename Bound, typename Step, typename Start, typename Body>
  [[gnu::always_inline]] void strided(const Bound& bound, const Step& step, Start start, Body body) {
    for (T i = start(::threadIdx, 0u); Inclusive ? i <= bound : i < bound; i += step) body(::threadIdx, 0u, i);
  }

  void leave(unsigned) {
    ended_ = true;
    ::hipport::cpu::leave();
  }

  bool ended() const { return ended_; }

 private:
  bool ended_ = false;
};

// A variable of each thread that outlives a region.
template <typename T, bool Together>
class PerThread {
 public:
  template <bool Leaves>
  explicit PerThread(Regions<true, Leaves>& regions)
      : bytes_((regions.threads() * sizeof(T) + ThreadMemory::alignment - 1) / ThreadMemory::alignment *
               ThreadMemory::alignment),
        memory_(thread_memory.take(bytes_)),
        is_own_(memory_ == nullptr) {
    if (is_own_) memory_ = ThreadMemory::allocate_plain(bytes_);
    slots_ = static_cast<T*>(memory_);
  }
  ~PerThread() { is_own_ ? std::free(memory_) : thread_memory.give_back(bytes_); }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& operator[](unsigned thread) { return slots_[thread]; }
  T& make(unsigned thread) { return slots_[thread]; }
  T& make(unsigned thread, Zero) {
    for (auto& element : slots_[thread]) element = 0;
    return slots_[thread];
  }
  template <typename V>
  T& make(unsigned thread, const V& value) {
    return slots_[thread] = value;
  }

 private:
  const size_t bytes_;
  void* memory_;
  const bool is_own_;
  T* slots_;
};

// Only one thread's.
template <typename T>
class PerThread<T, false> {
 public:
  template <bool Leaves>
  explicit PerThread(Regions<false, Leaves>&) {}
  ~PerThread() {
    if constexpr (!std::is_array_v<T>)
      if (made_) at().~T();
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& operator[](unsigned) { return at(); }
  T& make(unsigned) {
    if constexpr (!std::is_array_v<T>) {
      made_ = true;
      ::new (static_cast<void*>(memory_)) T;
    }
    return at();
  }
  T& make(unsigned, Zero) {
    std::memset(static_cast<void*>(memory_), 0, sizeof(T));
    return at();
  }
  template <typename V>
  T& make(unsigned, const V& value) {
    made_ = true;
    ::new (static_cast<void*>(memory_)) T(value);
    return at();
  }

 private:
  T& at() { return *std::launder(reinterpret_cast<T*>(memory_)); }

  alignas(T) unsigned char memory_[sizeof(T)];
  bool made_ = false;
};

}  // namespace hipport::cpu

// Hide the variables of the same names, so that what the kernel writes cannot change them.
#define HIPPORT_REGIONS(leaves)                       \
  [[maybe_unused]] const uint3 blockIdx = ::blockIdx; \
  [[maybe_unused]] const dim3 blockDim = ::blockDim;  \
  [[maybe_unused]] const dim3 gridDim = ::gridDim;    \
  ::hipport::cpu::Regions<hipport_together, leaves> hipport_regions;
#define HIPPORT_INLINE __attribute__((always_inline))
#define HIPPORT_EACH                                               \
  hipport_regions.each([&]([[maybe_unused]] const uint3 threadIdx,                           \
                           [[maybe_unused]] const unsigned hipport_thread) HIPPORT_INLINE {
#define HIPPORT_END \
  });
