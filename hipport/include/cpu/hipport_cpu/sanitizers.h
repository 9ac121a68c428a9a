// SPDX-License-Identifier: MIT
// Tells AddressSanitizer and ThreadSanitizer about stack switches and unused memory.
//
// To ThreadSanitizer every GPU thread is a thread of its own ("fiber"), ordered with others only by barriers and by the
// start and the end of the launch. The runtime's own bookkeeping runs in the fiber of the worker ("base").
#pragma once

#include "platform.h"

// Declared here because not every compiler's package has the sanitizer headers.
extern "C" {
#if HIPPORT_ASAN
void __asan_unpoison_memory_region(const volatile void* memory, size_t size);
void __sanitizer_start_switch_fiber(void** fake_stack, const void* low, size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_low, size_t* old_size);
#endif
#if HIPPORT_TSAN
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* token);
void __tsan_release(void* token);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
#endif
}

namespace hipport::cpu::sanitizers {

#if HIPPORT_ASAN || HIPPORT_TSAN
inline constexpr bool active = true;
#else
inline constexpr bool active = false;
#endif

#if HIPPORT_ASAN
inline void unpoison(const void* memory, size_t size) { __asan_unpoison_memory_region(memory, size); }
inline void start_switch(void** fake_stack, const void* low, size_t size) {
  __sanitizer_start_switch_fiber(fake_stack, low, size);
}
inline void finish_switch(void* fake_stack, const void** old_low, size_t* old_size) {
  __sanitizer_finish_switch_fiber(fake_stack, old_low, old_size);
}
#else
inline void unpoison(const void*, size_t) {}
inline void start_switch(void**, const void*, size_t) {}
inline void finish_switch(void*, const void**, size_t*) {}
#endif

#if HIPPORT_TSAN
inline constexpr bool races = true;
inline constexpr unsigned switch_without_order = 1;
inline void* create_fiber() { return __tsan_create_fiber(0); }
inline void destroy_fiber(void* fiber) { __tsan_destroy_fiber(fiber); }
inline void* current_fiber() { return __tsan_get_current_fiber(); }
inline void switch_fiber(void* fiber) { __tsan_switch_to_fiber(fiber, switch_without_order); }
inline void release(void* token) { __tsan_release(token); }
inline void acquire(void* token) { __tsan_acquire(token); }
inline void ignore_begin() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
inline void ignore_end() {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
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
