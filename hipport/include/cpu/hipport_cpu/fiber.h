// SPDX-License-Identifier: MIT
// Stackful contexts (Boost.Context), on which the threads of a block run.
#pragma once

#include "platform.h"
#include "sanitizers.h"

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

namespace hipport::cpu {

// Bytes of a stack; only pages that are touched take memory.
#if HIPPORT_ASAN || HIPPORT_TSAN
inline constexpr size_t stack_bytes = 1024 * 1024;
#else
inline constexpr size_t stack_bytes = 256 * 1024;
#endif
inline constexpr size_t guard_bytes = 4096;

// A stack and the place where what runs on it has stopped. A default one stands for the worker's own stack.
class Fiber {
 public:
  using Main = void (*)(Fiber&);

  Fiber() = default;

  // `main` never returns. `color` moves the start of the stack, lest all stacks compete for the same cache sets.
  Fiber(Main main, unsigned color) : main_(main), size_(stack_bytes), owner_(true) {
    void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::fprintf(stderr, "hipport: no memory for the stack of a GPU thread\n");
      std::_Exit(1);
    }
    low_ = static_cast<char*>(memory);
    madvise(low_, size_, MADV_NOHUGEPAGE);
    mprotect(low_, guard_bytes, PROT_NONE);  // fails where the system allows few mappings: only the guard is lost then
    const size_t usable = size_ - (color % 16) * 256;
    context_ = boost::context::detail::make_fcontext(low_ + usable, usable, &Fiber::enter);
  }

  ~Fiber() {
    if (!owner_) return;
    sanitizers::unpoison(low_, size_);
    munmap(low_, size_);
  }

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Stops here and goes on in `next`; returns when something switches to this fiber again.
  void switch_to(Fiber& next) {
    Switch change{this, &next};
    void* fake_stack = nullptr;
    sanitizers::start_switch(&fake_stack, next.low_, next.size_);
    arrive(boost::context::detail::jump_fcontext(next.context_, &change), fake_stack);
  }

 private:
  struct Switch {
    Fiber* from;
    Fiber* to;
  };

  static void enter(boost::context::detail::transfer_t transfer) {
    Fiber& self = *static_cast<Switch*>(transfer.data)->to;
    arrive(transfer, nullptr);
    self.main_(self);
  }

  // Notes where the fiber that switched to here has stopped.
  static void arrive(boost::context::detail::transfer_t transfer, void* fake_stack) {
    Fiber& previous = *static_cast<Switch*>(transfer.data)->from;
    previous.context_ = transfer.fctx;
    const void* low = previous.low_;
    size_t size = previous.size_;
    sanitizers::finish_switch(fake_stack, &low, &size);
    previous.low_ = static_cast<char*>(const_cast<void*>(low));
    previous.size_ = size;
  }

  Main main_ = nullptr;
  boost::context::detail::fcontext_t context_ = nullptr;
  char* low_ = nullptr;
  size_t size_ = 0;
  bool owner_ = false;
};

}  // namespace hipport::cpu
