// SPDX-License-Identifier: MIT
// Fibers: stacks on which the threads of a block run.
#pragma once

#include "context.h"
#include "platform.h"
#include "sanitizers.h"

#include <sys/mman.h>

namespace hipport::cpu {

// Stack size in bytes; only pages that are touched take memory.
#if HIPPORT_ASAN || HIPPORT_TSAN
inline constexpr size_t stack_bytes = 1024 * 1024;
#else
inline constexpr size_t stack_bytes = 256 * 1024;
#endif
inline constexpr size_t guard_bytes = 4096;

// A stack and the point where execution on it stopped. A default-constructed fiber stands for the worker's own stack.
class Fiber {
 public:
  using Main = void (*)(Fiber&);

  Fiber() = default;

  // `main` never returns. `color` shifts the start of the stack, so that the stacks do not compete for the same cache
  // sets.
  Fiber(Main main, unsigned color) : main_(main), size_(stack_bytes), owner_(true) {
    void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::fprintf(stderr, "hipport: no memory for the stack of a GPU thread\n");
      std::_Exit(1);
    }
    low_ = static_cast<char*>(memory);
    madvise(low_, size_, MADV_NOHUGEPAGE);
    mprotect(low_, guard_bytes, PROT_NONE);  // may fail if the system limits mappings, which only loses the guard page
    const size_t usable = size_ - color * 192 % 4096;
    context_ = make_context<&Fiber::enter>(low_ + usable, usable);
  }

  ~Fiber() {
    if (!owner_) return;
    sanitizers::unpoison(low_, size_);
    munmap(low_, size_);
  }

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Stop here and continue in `next`; returns when another fiber switches back to this one.
  void switch_to(Fiber& next) {
    void* fake_stack = nullptr;
    sanitizers::start_switch(&fake_stack, next.low_, next.size_);
    next.previous_ = this;
    switch_context(&context_, next.context_, &next);
    arrive(fake_stack);
  }

 private:
  static void enter(void* self) {
    Fiber& fiber = *static_cast<Fiber*>(self);
    fiber.arrive(nullptr);
    fiber.main_(fiber);
  }

  // Complete the switch for AddressSanitizer, and record the stack of the fiber that switched here.
  void arrive(void* fake_stack) {
    const void* low = previous_->low_;
    size_t size = previous_->size_;
    sanitizers::finish_switch(fake_stack, &low, &size);
    previous_->low_ = static_cast<char*>(const_cast<void*>(low));
    previous_->size_ = size;
  }

  Main main_ = nullptr;
  Context context_ = nullptr;
  Fiber* previous_ = nullptr;
  char* low_ = nullptr;
  size_t size_ = 0;
  bool owner_ = false;
};

}  // namespace hipport::cpu
