// SPDX-License-Identifier: MIT
// Source lines of return addresses, from addr2line, which stays open for further questions.
#pragma once

#include "arena.h"

#include <cstdio>
#include <dlfcn.h>
#include <memory>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <unwind.h>

extern char** environ;

namespace hipport::cpu::checks {

// A running addr2line for one object file.
class LineReader {
 public:
  explicit LineReader(const std::string& object) {
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
    const char* const command[] = {"addr2line", "-a", "-i", "-e", object.c_str(), nullptr};
    pid_t process = 0;
    const bool runs =
        posix_spawnp(&process, command[0], &actions, nullptr, const_cast<char* const*>(command), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    if (!runs) return;
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
  }

  // Return the lines of an address, inlined functions first.
  std::vector<std::string> read(uintptr_t address) {
    std::vector<std::string> lines;
    if (to_ == nullptr) return lines;
    std::fprintf(to_, "%zx\n0\n", size_t(address));  // the answer to 0 is the end of the answer
    std::fflush(to_);
    char text[4096];
    for (bool is_first = true; std::fgets(text, sizeof text, from_) != nullptr; is_first = false) {
      std::string line(text, std::strcspn(text, "\n"));
      if (line.rfind("0x", 0) == 0) {
        if (is_first) continue;
        if (std::fgets(text, sizeof text, from_) == nullptr) break;
        return lines;
      }
      const size_t note = line.find(" (discriminator");
      if (note != line.npos) line.resize(note);
      if (line.find(":?") == line.npos && line.compare(0, 2, "??") != 0) lines.push_back(std::move(line));
    }
    to_ = nullptr;  // it has ended: ask no more
    return lines;
  }

 private:
  FILE *to_ = nullptr, *from_ = nullptr;
};

class Lines {
 public:
  // Return "file:line" of the innermost frame of a trail that belongs to the program; empty if nothing is known.
  std::string of(const Trail& trail) {
    std::string inner;
    for (const uintptr_t address : trail)
      for (const std::string& line : frames(address)) {
        if (!is_ours(line)) return shortened(line);
        if (inner.empty()) inner = line;
      }
    return inner.empty() ? "" : shortened(inner);
  }

  // Return whether the innermost frames up to the program's own are hipport's: its libraries touch memory freely.
  bool is_library(const Trail& trail) {
    for (const uintptr_t address : trail)
      for (const std::string& line : frames(address)) {
        if (line.find("/hipport_cpu/") != line.npos) return true;
        if (!is_ours(line)) return false;
      }
    return false;
  }

 private:
  const std::vector<std::string>& frames(uintptr_t address) {
    const auto [found, is_new] = known_.try_emplace(address);
    if (is_new) found->second = ask(address - 1);
    return found->second;
  }

  std::vector<std::string> ask(uintptr_t address) {
    Dl_info object{};
    if (dladdr(reinterpret_cast<void*>(address), &object) == 0 || object.dli_fname == nullptr) return {};
    const auto base = reinterpret_cast<uintptr_t>(object.dli_fbase);
    std::string path = object.dli_fname;
    if (access(path.c_str(), R_OK) != 0) path = "/proc/self/exe";
    if (path == "/proc/self/exe") path = "/proc/" + std::to_string(getpid()) + "/exe";
    auto& reader = readers_[path];
    if (reader == nullptr) reader = std::make_unique<LineReader>(path);
    // Executables at fixed addresses are described with these.
    const bool is_fixed = base == 0x400000;
    return reader->read(is_fixed ? address : address - base);
  }

  static bool is_ours(const std::string& line) {
    for (const char* const part : {"/hipport_cpu/", "/hipport/compat/", "/hipport/ptx/", "/c++/", "/usr/"})
      if (line.find(part) != line.npos) return true;
    return false;
  }

  // Paths below the current folder are relative.
  static std::string shortened(std::string line) {
    for (size_t at; (at = line.find("/./")) != line.npos;) line.erase(at, 2);
    char folder[4096];
    if (getcwd(folder, sizeof folder) == nullptr) return line;
    const std::string prefix = std::string(folder) + "/";
    return line.rfind(prefix, 0) == 0 ? line.substr(prefix.size()) : line;
  }

  std::unordered_map<uintptr_t, std::vector<std::string>> known_;
  std::map<std::string, std::unique_ptr<LineReader>> readers_;
};

// Return the addresses to which this function's callers return.
inline Trail call_trail(size_t most = 12) {
  struct State {
    Trail trail;
    size_t most;
  } state{{}, most};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* to) {
        auto& found = *static_cast<State*>(to);
        if (const uintptr_t address = _Unwind_GetIP(context)) found.trail.push_back(address);
        return found.trail.size() < found.most ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &state);
  return std::move(state.trail);
}

}  // namespace hipport::cpu::checks
