// SPDX-License-Identifier: MIT
// What AddressSanitizer and ThreadSanitizer have to be told about stacks that change and memory that is not used.
//
// ThreadSanitizer sees every GPU thread as a thread of its own ("fiber"), ordered with others only by barriers and by
// the start and the end of the launch. The runtime's own bookkeeping happens in the fiber of the worker ("base").
#pragma once

#include "platform.h"

#if HIPPORT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if HIPPORT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" void AnnotateIgnoreReadsAndWritesBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsAndWritesEnd(const char* file, int line);
#endif

namespace hipport::cpu::sanitizers {

#if HIPPORT_ASAN
inline void poison(const void* memory, size_t size) { __asan_poison_memory_region(memory, size); }
inline void unpoison(const void* memory, size_t size) { __asan_unpoison_memory_region(memory, size); }
inline void start_switch(void** fake_stack, const void* low, size_t size) {
  __sanitizer_start_switch_fiber(fake_stack, low, size);
}
inline void finish_switch(void* fake_stack, const void** old_low, size_t* old_size) {
  __sanitizer_finish_switch_fiber(fake_stack, old_low, old_size);
}
#else
inline void poison(const void*, size_t) {}
inline void unpoison(const void*, size_t) {}
inline void start_switch(void**, const void*, size_t) {}
inline void finish_switch(void*, const void**, size_t*) {}
#endif

#if HIPPORT_TSAN
inline constexpr bool races = true;
inline void* create_fiber() { return __tsan_create_fiber(0); }
inline void destroy_fiber(void* fiber) { __tsan_destroy_fiber(fiber); }
inline void* current_fiber() { return __tsan_get_current_fiber(); }
inline void switch_fiber(void* fiber) { __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync); }
inline void release(void* token) { __tsan_release(token); }
inline void acquire(void* token) { __tsan_acquire(token); }
inline void ignore_begin() { AnnotateIgnoreReadsAndWritesBegin(__FILE__, __LINE__); }
inline void ignore_end() { AnnotateIgnoreReadsAndWritesEnd(__FILE__, __LINE__); }
#else
inline constexpr bool races = false;
inline void* create_fiber() { return nullptr; }
inline void destroy_fiber(void*) {}
inline void* current_fiber() { return nullptr; }
inline void switch_fiber(void*) {}
inline void release(void*) {}
inline void acquire(void*) {}
inline void ignore_begin() {}
inline void ignore_end() {}
#endif

}  // namespace hipport::cpu::sanitizers
