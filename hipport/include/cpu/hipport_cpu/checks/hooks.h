// SPDX-License-Identifier: MIT
// What the runtime tells the checks of `hipport build --target cpu --sanitize`. Without them, all of this is empty.
//
// With them, the compiler calls a function for every access to memory (`-fsanitize=thread`), and `runtime.cpp`, which
// is compiled without instrumentation and linked to the program, implements these functions and the hooks below.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipport::cpu::checks {

enum class Memory : unsigned char { device, host, managed, shared, heap };

// A launch, in the form that reports need.
struct LaunchFacts {
  const char* kernel;
  unsigned grid[3], block[3];
  const void* stream;
  bool quiet;  // without findings: the program was built with --lockstep only
};

// What the checks call of a block: let other threads run, and wait for the lanes that are at the same instruction.
struct BlockCalls {
  void (*yield)();
  void (*step)(uintptr_t code);  // null without --lockstep
};

struct Place {
  const char* file;
  int line;
};

#ifndef HIPPORT_LOCKSTEP
#define HIPPORT_LOCKSTEP 0
#endif
#ifndef HIPPORT_QUIET
#define HIPPORT_QUIET 0
#endif

#if HIPPORT_CHECKS
inline constexpr bool enabled = true, in_step = HIPPORT_LOCKSTEP;

// ---- memory ----
// Return memory whose accesses are checked, or null.
void* allocate(size_t size, size_t alignment, Memory memory);
// Return whether this is the start of an allocation, which is freed then. Reports pointers that cannot be freed.
bool release(void* pointer, const char* function);
void release_shared(void* pointer);
// Host memory that the program registers.
void adopt(void* pointer, size_t size);
// A copy or fill by the host API: checks the ranges, and what is written counts as written.
void copying(void* to, const void* from, size_t size, const void* stream);
void filling(void* to, size_t size, const void* stream);

// ---- streams and events, as the host sees them ----
void stream_created(const void* stream, bool blocking);
void stream_waits(const void* stream, const void* event);
void event_recorded(const void* event, const void* stream);
void stream_done(const void* stream);  // the host has waited for a stream
void event_done(const void* event);
void device_done();
void launching_graph(const void* stream, bool begins);

// ---- kernels ----
void begin_launch(const LaunchFacts& launch);
void end_launch();
void begin_block(uint64_t number, unsigned threads, unsigned wave_size, BlockCalls calls);
void end_block();
void enter(unsigned thread);  // the kernel begins for a thread
void leave();                 // ... and ends
void resume(unsigned thread);
bool pause();  // return whether the kernel's accesses were checked
void unpause(bool was_checked);
void add_stack(const void* low, size_t size);
void shared_block(void* memory, size_t size);  // a new block's shared memory

// ---- order ----
void barrier_met();
void lanes_met(unsigned first, uint64_t lanes);
void fence();
void grid_waits();
void grid_met();
void let_others_run();

// ---- defects that the runtime finds itself ----
void different_barriers(unsigned thread, Place here, unsigned other_thread, Place there);
void stopping(const char* kind, unsigned thread, Place here, const char* message);
void faulted(const char* what, const void* address, const void* code);
void finish();  // before the program ends at once
#else
inline constexpr bool enabled = false, in_step = false;
inline void* allocate(size_t, size_t, Memory) { return nullptr; }
inline bool release(void*, const char*) { return false; }
inline void release_shared(void*) {}
inline void adopt(void*, size_t) {}
inline void copying(void*, const void*, size_t, const void*) {}
inline void filling(void*, size_t, const void*) {}
inline void stream_created(const void*, bool) {}
inline void stream_waits(const void*, const void*) {}
inline void event_recorded(const void*, const void*) {}
inline void stream_done(const void*) {}
inline void event_done(const void*) {}
inline void device_done() {}
inline void launching_graph(const void*, bool) {}
inline void begin_launch(const LaunchFacts&) {}
inline void end_launch() {}
inline void begin_block(uint64_t, unsigned, unsigned, BlockCalls) {}
inline void end_block() {}
inline void enter(unsigned) {}
inline void leave() {}
inline void resume(unsigned) {}
inline bool pause() { return false; }
inline void unpause(bool) {}
inline void add_stack(const void*, size_t) {}
inline void shared_block(void*, size_t) {}
inline void barrier_met() {}
inline void lanes_met(unsigned, uint64_t) {}
inline void fence() {}
inline void grid_waits() {}
inline void grid_met() {}
inline void let_others_run() {}
inline void different_barriers(unsigned, Place, unsigned, Place) {}
inline void stopping(const char*, unsigned, Place, const char*) {}
inline void faulted(const char*, const void*, const void*) {}
inline void finish() {}
#endif

// While an object of this class exists, the calling thread's accesses are those of the runtime.
class Pause {
 public:
  Pause() : was_checked_(pause()) {}
  ~Pause() { unpause(was_checked_); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  bool was_checked_;
};

}  // namespace hipport::cpu::checks
