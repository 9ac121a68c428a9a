// SPDX-License-Identifier: MIT
// Names the kernel, the thread and the line of a fault of the processor, such as a segmentation fault, in a kernel.
#pragma once

#include "block.h"

#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <ucontext.h>
#include <unistd.h>

namespace hipport::cpu {

// Return the address of the faulty instruction, or null where it is not known how to find it.
inline const void* faulty_code(void* context) {
  [[maybe_unused]] const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(registers.pc);
#elif defined(__riscv)
  return reinterpret_cast<const void*>(registers.__gregs[REG_PC]);
#else
  return nullptr;
#endif
}

// Return " at file:line" of an instruction if the program has debug information and addr2line is there, or "".
inline std::string line_of_code(const void* code) {
  Dl_info object{};
  if (code == nullptr || dladdr(code, &object) == 0) return "";
  const bool is_fixed = object.dli_fbase == reinterpret_cast<void*>(0x400000);
  const char* const base = is_fixed ? nullptr : static_cast<const char*>(object.dli_fbase);
  char command[4400], text[4096];
  std::snprintf(command, sizeof(command), "addr2line -i -e '%s' 0x%zx 2>/dev/null",
                access(object.dli_fname, R_OK) == 0 ? object.dli_fname : "/proc/self/exe",
                static_cast<size_t>(static_cast<const char*>(code) - base));
  FILE* const lines = popen(command, "r");
  std::string found;
  while (lines != nullptr && std::fgets(text, sizeof(text), lines) != nullptr) {
    const std::string line(text, std::strcspn(text, " \n"));
    const bool is_ours = line.find("/hipport_cpu/") != line.npos || line[0] == '?' || line.find(":?") != line.npos;
    if (found.empty() && !is_ours) found = " at " + line;
  }
  if (lines != nullptr) pclose(lines);
  return found;
}

inline const char* fault_name(int number) {
  switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "division by zero";
    default: return "illegal instruction";
  }
}

// The fault that is reported: the first one, which ends the program. Other workers that fault meanwhile wait for that.
struct Fault {
  std::atomic<Block*> block{nullptr};
  std::atomic<bool> is_told{false};
  int number = 0;
  const void* address = nullptr;
  const void* code = nullptr;
  char who[160] = "";
};

inline Fault first_fault;

[[noreturn]] inline void wait_for_the_end() {
  for (;;) pause();
}

// Print the report and end the program with the signal.
[[noreturn]] inline void tell_fault() {
  Fault& fault = first_fault;
  if (fault.is_told.exchange(true)) wait_for_the_end();
  char where[40] = "";
  if (fault.number == SIGSEGV || fault.number == SIGBUS)
    std::snprintf(where, sizeof(where), " at address %p", fault.address);
  std::fprintf(stderr, "hipport: %s: %s%s%s\n", fault.who, fault_name(fault.number), where,
               line_of_code(fault.code).c_str());
  if constexpr (!checks::enabled)
    std::fprintf(stderr, "hipport: build with --sanitize to find its cause (docs/cpu-target.md)\n");
  std::fflush(stderr);
  checks::finish();
  std::signal(fault.number, SIG_DFL);
  kill(getpid(), fault.number);
  wait_for_the_end();
}

// Find the thread of a fault in a loop over threads by running them again, one at a time. What kernels print then is
// not shown, and the search ends after some seconds: the first run may have changed what the second one reads.
[[noreturn]] inline void find_thread(Block& block) {
  constexpr unsigned kSeconds = 5;
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  std::signal(SIGALRM, [](int) { tell_fault(); });
  alarm(kSeconds);
  block.retrace([] { tell_fault(); });
}

// The handler of faults: what it calls may be used in no handler, but the program is about to end anyway.
inline void on_fault(int number, siginfo_t* info, void* context) {
  Fault& fault = first_fault;
  Block *const block = current_block, *before = nullptr;
  // The host's, or the report's: it happens again, now without this handler.
  if (block == nullptr || (fault.is_told && fault.block == block)) {
    std::signal(number, SIG_DFL);
    return;
  }
  const bool is_first = fault.block.compare_exchange_strong(before, block);
  if (!is_first && before != block) wait_for_the_end();
  fault.number = number;
  fault.address = info->si_addr;
  fault.code = faulty_code(context);
  block->describe_thread(fault.who, sizeof(fault.who));
  if (is_first) {
    std::fflush(stdout);
    checks::faulted(fault_name(number), info->si_addr, fault.code);
    if (!checks::enabled && block->can_retrace()) find_thread(*block);
  }
  tell_fault();
}

// The stack on which this thread handles faults; that of a GPU thread may be used up.
class FaultStack {
 public:
  FaultStack() {
    stack_t old{}, mine{};
    sigaltstack(nullptr, &old);
    mine.ss_sp = memory_.data();
    mine.ss_size = memory_.size();
    if ((old.ss_flags & SS_DISABLE) != 0) sigaltstack(&mine, nullptr);
  }
  ~FaultStack() {
    stack_t now{};
    sigaltstack(nullptr, &now);
    if (now.ss_sp != memory_.data()) return;
    now.ss_flags = SS_DISABLE;
    sigaltstack(&now, nullptr);
  }
  void use() const {}

 private:
  std::vector<char> memory_ = std::vector<char>(1 << 16);
};

// Install the handlers once, unless the program or a debugging tool has its own; every worker needs a stack for them.
HIPPORT_RUNTIME void watch_for_faults() {
  static const bool is_installed = [] {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      struct sigaction old{};
      sigaction(number, nullptr, &old);
      if (old.sa_handler != SIG_DFL) continue;
      struct sigaction action{};
      action.sa_sigaction = &on_fault;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(number, &action, nullptr);
    }
    return true;
  }();
  static_cast<void>(is_installed);
  static thread_local FaultStack stack;
  stack.use();
}

}  // namespace hipport::cpu
