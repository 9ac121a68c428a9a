// SPDX-License-Identifier: MIT
// Names the kernel, the thread and the line of a fault of the processor, such as a segmentation fault, in a kernel.
#pragma once

#include "block.h"

#include <csignal>
#include <dlfcn.h>
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

// The handler of faults: what it calls may be used in no handler, but the program is about to end anyway.
inline void on_fault(int number, siginfo_t* info, void* context) {
  std::signal(number, SIG_DFL);
  if (current_block == nullptr) return;  // the host's: the instruction faults again, now without this handler
  const void* const code = faulty_code(context);
  std::fflush(stdout);
  checks::faulted(fault_name(number), info->si_addr, code);
  char who[160], where[40] = "";
  current_block->describe_thread(who, sizeof(who));
  const char* const hint = current_block->is_together()
                               ? "hipport: build with -g to see the thread, or with --sanitize to find the cause"
                               : "hipport: build with --sanitize to find its cause";
  if (number == SIGSEGV || number == SIGBUS) std::snprintf(where, sizeof(where), " at address %p", info->si_addr);
  std::fprintf(stderr, "hipport: %s: %s%s%s\n", who, fault_name(number), where, line_of_code(code).c_str());
  if constexpr (!checks::enabled) std::fprintf(stderr, "%s (docs/cpu-target.md)\n", hint);
  std::fflush(stderr);
  checks::finish();
  raise(number);
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
