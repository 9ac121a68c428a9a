// SPDX-License-Identifier: MIT
// Rows: the threads of a block that differ in threadIdx.x only. Values that grow by the same number from each thread of
// a row to the next one need to be computed for the first of them only, and comparisons of such values hold for threads
// side by side. The compiler cannot know either, because indices might wrap around: here that is checked for each row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hipport::cpu {

// A value of the first of some threads, which grows by `Stride` from one to the next: an integer or a pointer.
template <int Stride, typename T>
struct Linear {
  T value;

  // That in which a short unsigned value grows. g++ does not see that a sum of 64 bits has only 32.
#if defined(__clang__)
  using Wide = int64_t;
#else
  using Wide = int;
#endif

  // Return that of the thread `step` places further on.
  [[gnu::always_inline]] T after(int step) const {
    if constexpr (Stride == 0) {
      return value;
    } else if constexpr (std::is_pointer_v<T>) {
      return value + static_cast<ptrdiff_t>(Stride) * step;
    } else if constexpr (std::is_signed_v<T> || sizeof(T) >= sizeof(int64_t)) {
      return static_cast<T>(value + static_cast<T>(Stride * step));
    } else {
      // As a signed number, which cannot wrap around for the compiler.
      const Wide sum = static_cast<Wide>(value) + static_cast<Wide>(Stride) * step;
      if (sum < 0) __builtin_unreachable();
      return static_cast<T>(sum);
    }
  }

  // Keep g++ from seeing that it knows the value of the first thread. It would take that out of the loop over the
  // threads, and what is left of it would not be one that it vectorizes.
  [[gnu::always_inline]] void hide() {
#if !defined(__clang__)
    asm("" : "+r"(value));
#endif
  }

  // Return whether the value grows to the one of the thread `steps` places further on without wrapping around.
  [[gnu::always_inline]] bool reaches(const Linear& last, size_t steps) const {
    const ptrdiff_t growth = Stride * static_cast<ptrdiff_t>(steps);
    if constexpr (Stride == 0) {
      return true;
    } else if constexpr (std::is_pointer_v<T>) {
      using Element = std::remove_pointer_t<T>;
      const auto from = reinterpret_cast<uintptr_t>(value), to = reinterpret_cast<uintptr_t>(last.value);
      return to - from == static_cast<uintptr_t>(growth) * sizeof(Element) && (growth < 0) == (to < from);
    } else if constexpr (sizeof(T) >= sizeof(int64_t)) {
      return (last.value < value) == (growth < 0) && last.value - value == static_cast<T>(growth);
    } else {
      const bool fits =
          std::is_signed_v<T> || static_cast<int64_t>(std::max(value, last.value)) <= std::numeric_limits<Wide>::max();
      return fits & (static_cast<int64_t>(last.value) - static_cast<int64_t>(value) == growth);
    }
  }
};

template <int Stride, typename T>
[[gnu::always_inline]] inline Linear<Stride, T> linear(T value) {
  return {value};
}

// A linear value that is compared with one of type `Other`, in whose type a negative number may be a large one.
template <int Stride, typename T, typename Other>
struct Compared {
  Linear<Stride, T> linear;

  [[gnu::always_inline]] bool reaches(const Compared& last, size_t steps) const {
    bool fits = true;
    if constexpr (std::is_signed_v<T> && std::is_arithmetic_v<Other>) {
      if constexpr (std::is_unsigned_v<std::common_type_t<T, Other>>)
        fits = (linear.value < 0) == (last.linear.value < 0);
    }
    return fits & linear.reaches(last.linear, steps);
  }

  void hide() {}
};

template <int Stride, typename T, typename Other>
[[gnu::always_inline]] inline Compared<Stride, T, Other> compared(T value, Other) {
  return {{value}};
}

// What the first of some threads computes: whether a condition holds, and linear values. The condition compares these,
// so that it holds for threads side by side. `is_known` says that all other names in it are constants.
template <typename... Values>
struct Row {
  bool is_known, holds;
  std::tuple<Values...> values;

  template <size_t Number>
  [[gnu::always_inline]] auto after(size_t step) const {
    return std::get<Number>(values).after(step);
  }

  [[gnu::always_inline]] void hide() {
    std::apply([](auto&... each) { (each.hide(), ...); }, values);
  }

  [[gnu::always_inline]] bool reaches(const Row& last, size_t steps) const {
    return reaches(last, steps, std::index_sequence_for<Values...>());
  }

 private:
  template <size_t... Numbers>
  [[gnu::always_inline]] bool reaches(const Row& last, size_t steps, std::index_sequence<Numbers...>) const {
    return (std::get<Numbers>(values).reaches(std::get<Numbers>(last.values), steps) & ... & is_known);
  }
};

template <typename... Values>
[[gnu::always_inline]] inline Row<Values...> make_row(bool is_known, bool holds, Values... values) {
  return {is_known, holds, {values...}};
}

// Find the threads from `low` to `high` for which the condition of a row holds. `at` returns the row that a thread begins.
template <typename At>
[[gnu::always_inline]] inline void narrow(At at, unsigned& low, unsigned& high) {
  // The threads at two numbers differ: return the number behind the last one that is like the first.
  const auto end_of = [&](unsigned same, unsigned other) {
    const bool holds = at(same).holds;
    while (other - same > 1) {
      const unsigned middle = same + (other - same) / 2;
      (at(middle).holds == holds ? same : other) = middle;
    }
    return other;
  };
  const bool last = at(high - 1).holds;
  if (last && !at(low).holds) low = end_of(low, high - 1);
  while (low < high && !at(low).holds) ++low;
  if (!last && low < high) high = end_of(low, high - 1);
}

}  // namespace hipport::cpu
