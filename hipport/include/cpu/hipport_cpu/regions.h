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

#include "rows.h"
#include "sync.h"

#include <limits>
#include <new>

#define HIPPORT_INLINE __attribute__((always_inline))
// In front of a loop over threads.
#if defined(__clang__)
#define HIPPORT_SIDE_BY_SIDE _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#else
#define HIPPORT_SIDE_BY_SIDE _Pragma("GCC ivdep")
#endif

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
    each_row([&](const uint3& first, unsigned end, size_t thread) HIPPORT_INLINE {
      HIPPORT_SIDE_BY_SIDE
      for (unsigned x = first.x; x < end; ++x) {
        const size_t number = thread + x;
        if constexpr (Leaves) {
          if (left_[number] == 0) region(uint3(x, first.y, first.z), number);
        } else {
          region(uint3(x, first.y, first.z), number);
        }
      }
    });
  }

  // Call a region for those threads for which a condition holds. `row_of` returns the `Row` that a thread begins.
  template <typename RowOf, typename Region>
  [[gnu::always_inline]] void rows(RowOf row_of, Region region) {
    each_row([&](const uint3& first, unsigned end, size_t thread) HIPPORT_INLINE {
      const auto at = [&](unsigned x) HIPPORT_INLINE { return row_of(uint3(x, first.y, first.z), thread + x); };
      const auto begins = at(first.x), ends = at(end - 1);
      const bool is_linear = begins.reaches(ends, end - 1 - first.x);
      const bool is_whole = is_linear & begins.holds & ends.holds;
      for (unsigned from = first.x; from < end;) {
        unsigned low = from, high = is_linear ? end : from + 1;
        from = high;
        if (!is_whole) narrow(at, low, high);
        auto row = at(low);
        row.hide();
        int step = 0;
        HIPPORT_SIDE_BY_SIDE
        for (unsigned x = low; x < high; ++x, ++step) region(uint3(x, first.y, first.z), thread + x, row, step);
      }
    });
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
      each([&](const uint3& index, size_t thread) HIPPORT_INLINE {
        for (T i = start(index, thread); goes_on(i); i += step) body(index, thread, i);
      });
      return;
    }
    for (T done = 0; goes_on(low + done); done += step) {
      each_row([&](const uint3& first, unsigned end, size_t thread) HIPPORT_INLINE {
        const Linear<1, T> i{static_cast<T>(start(first, thread + first.x) + done)};
        const int64_t left = static_cast<int64_t>(bound) - static_cast<int64_t>(i.value) + Inclusive;
        if (left < int64_t(end - first.x)) end = first.x + static_cast<unsigned>(left > 0 ? left : 0);
        int further = 0;
        HIPPORT_SIDE_BY_SIDE
        for (unsigned x = first.x; x < end; ++x, ++further)
          body(uint3(x, first.y, first.z), thread + x, i.after(further));
      });
    }
  }

  // The thread ends here.
  void leave(size_t thread) { left_[thread] = 1; }

  // Return whether all threads have ended.
  bool ended() const {
    unsigned count = 0;
    for (unsigned thread = 0; thread < threads(); ++thread) count += left_[thread];
    return count == threads();
  }

 private:
  // Call `row` for each row of threads: with its first index, the end of x, and what added to x is a thread's number.
  template <typename OfRow>
  [[gnu::always_inline]] void each_row(OfRow row) {
    Box box{{}, size_, 0};
    if (block_.is_retraced()) box = first_thread();
    do {
      const Box threads = box;  // which nothing else can change
      size_t number = size_t(threads.number) - threads.low.x;
      for (unsigned z = threads.low.z; z < threads.high.z; ++z)
        for (unsigned y = threads.low.y; y < threads.high.y; ++y, number += size_.x)
          row(uint3(threads.low.x, y, z), threads.high.x, number);
    } while (__builtin_expect(block_.is_retraced(), 0) && next_thread(box));
  }

  // Find the least and the greatest start of a thread; return whether none has wrapped around.
  template <typename T, typename Start>
  [[gnu::always_inline]] bool find_starts(Start start, T& low, T& high) const {
    low = high = start(uint3(0, 0, 0), size_t(0));
    for (unsigned row = 0; row < size_.y * size_.z; ++row) {
      const uint3 index(0, row % size_.y, row / size_.y);
      const T first = start(index, size_t(row) * size_.x);
      const T last = start(uint3(size_.x - 1, index.y, index.z), size_t(row + 1) * size_.x - 1);
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
    region(::threadIdx, size_t(0));
  }

  template <typename RowOf, typename Region>
  [[gnu::always_inline]] void rows(RowOf row_of, Region region) {
    const auto row = row_of(::threadIdx, size_t(0));
    if (row.holds) region(::threadIdx, size_t(0), row, 0);
  }

  template <typename T, bool Inclusive, typename Bound, typename Step, typename Start, typename Body>
  [[gnu::always_inline]] void strided(const Bound& bound, const Step& step, Start start, Body body) {
    for (T i = start(::threadIdx, size_t(0)); Inclusive ? i <= bound : i < bound; i += step)
      body(::threadIdx, size_t(0), i);
  }

  void leave(size_t) {
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

  T& operator[](size_t thread) { return slots_[thread]; }
  T& make(size_t thread) { return slots_[thread]; }
  T& make(size_t thread, Zero) {
    for (auto& element : slots_[thread]) element = 0;
    return slots_[thread];
  }
  template <typename V>
  T& make(size_t thread, const V& value) {
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

  T& operator[](size_t) { return at(); }
  T& make(size_t) {
    if constexpr (!std::is_array_v<T>) {
      made_ = true;
      ::new (static_cast<void*>(memory_)) T;
    }
    return at();
  }
  T& make(size_t, Zero) {
    std::memset(static_cast<void*>(memory_), 0, sizeof(T));
    return at();
  }
  template <typename V>
  T& make(size_t, const V& value) {
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
#define HIPPORT_THREAD [[maybe_unused]] const uint3 threadIdx, [[maybe_unused]] const size_t hipport_thread
#define HIPPORT_EACH hipport_regions.each([&](HIPPORT_THREAD) HIPPORT_INLINE {
#define HIPPORT_END \
  });
// HIPPORT_ROWS <declarations> HIPPORT_ROW(true, condition, linear<1>(i), ...) <region> HIPPORT_END: `i` of a thread in
// the region is HIPPORT_AFTER(0).
#define HIPPORT_ROWS hipport_regions.rows([&](HIPPORT_THREAD) HIPPORT_INLINE {
#define HIPPORT_ROW(...)                                                                                   \
  return ::hipport::cpu::make_row(__VA_ARGS__);                                                            \
  }                                                                                                        \
  , [&](HIPPORT_THREAD, [[maybe_unused]] const auto& hipport_row, [[maybe_unused]] const int hipport_step) \
        HIPPORT_INLINE {
#define HIPPORT_AFTER(number) hipport_row.template after<number>(hipport_step)
