// SPDX-License-Identifier: MIT
// Shared memory. `hipport build --target cpu` replaces `__shared__ float tile[8][9], sum;` with
//
//   typedef float hipport_tile[8][9], hipport_sum;
//   auto& tile = ::hipport::cpu::shared<hipport_tile>([] {});
//   auto& sum = ::hipport::cpu::shared<hipport_sum>([] {});
//
// so that each array is a separate allocation, whose bounds AddressSanitizer checks. Memory that the block has not
// written reads as bytes of 0xff: NaN, -1 or an invalid pointer.
#pragma once

#include "builtins.h"
#include "checks/hooks.h"
#include "sanitizers.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace hipport::cpu {

inline constexpr int unwritten = 0xff;

// Counts the blocks that a worker has run, which tells shared variables that a new block has begun.
inline thread_local uint64_t block_serial = 0;

// A shared variable of one worker.
struct SharedVariable {
  void* memory;
  uint64_t serial;
};

struct FreeAligned {
  void operator()(void* memory) const {
    if constexpr (checks::enabled)
      checks::release_shared(memory);
    else
      std::free(memory);
  }
};

inline void mark_unwritten(void* memory, size_t size) {
  if constexpr (checks::enabled) return checks::shared_block(memory, size);
  sanitizers::ignore_begin();
  std::memset(memory, unwritten, size);
  sanitizers::ignore_end();
}

inline void* allocate_aligned(size_t size, size_t alignment) {
  if constexpr (checks::enabled) return checks::allocate(size, alignment, checks::Memory::shared);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment < 16 ? 16 : alignment, size) == 0) return memory;
  std::fputs("hipport: out of memory\n", stderr);
  std::_Exit(1);
}

// Reset a variable for a new block. Not inlined because only the first thread of a block gets here.
__attribute__((noinline)) inline void renew(SharedVariable& variable, size_t size, size_t alignment) {
  const checks::Pause pause;
  static thread_local std::vector<std::unique_ptr<void, FreeAligned>> all;
  sanitizers::ignore_begin();
  if (variable.memory == nullptr) {
    variable.memory = allocate_aligned(size, alignment);
    all.emplace_back(variable.memory);
  }
  mark_unwritten(variable.memory, size);
  variable.serial = block_serial;
  sanitizers::ignore_end();
}

// The alignment that `alignas` takes from a constant or from a type, whichever its operand names.
template <size_t Bytes>
constexpr size_t alignment() {
  return Bytes;
}
template <typename T>
constexpr size_t alignment() {
  return alignof(T);
}

// Return the block's instance of one shared declaration, which may ask for more alignment than its type has; `Tag`
// distinguishes declarations. (Clang mangles a pack of alignments as no demangler here understands it.)
template <typename T, size_t Alignment = 1, typename Tag>
T& shared(Tag) {
  [[gnu::used]] static char footprint[sizeof(T)];  // never touched; kernel_symbols.h finds its size by its name
  static thread_local SharedVariable variable{nullptr, 0};
  if (variable.serial != block_serial) renew(variable, sizeof(T), std::max(alignof(T), Alignment));
  return *static_cast<T*>(variable.memory);
}

// Dynamic shared memory of the launch, of exactly the requested size, with the largest alignment that CUDA grants.
inline thread_local std::unique_ptr<void, FreeAligned> dynamic_memory;
inline thread_local size_t dynamic_bytes = 0;

inline void size_dynamic_memory(size_t bytes) {
  if (bytes == dynamic_bytes && dynamic_memory != nullptr) return;
  dynamic_memory.reset(allocate_aligned(bytes, 1024));
  dynamic_bytes = bytes;
}

// `T` is an array of unknown bound.
template <typename T>
T& dynamic_shared() {
  return *static_cast<T*>(dynamic_memory.get());
}

// `extern __shared__` at file scope.
template <typename T>
struct DynamicShared {
  using Element = std::remove_extent_t<T>;
  operator Element*() const { return dynamic_shared<T>(); }
};

}  // namespace hipport::cpu
