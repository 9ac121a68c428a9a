// SPDX-License-Identifier: MIT
// What the checks have found, as text on stderr, or as JSON lines for `hipport run --check`, in the form that the
// emulator's checks have.
#pragma once

#include "lines.h"

#include <cinttypes>
#include <memory>
#include <set>
#include <tuple>

namespace hipport::cpu::checks {

// Who did something: a thread of a kernel, or the host if there is no kernel.
struct Actor {
  std::string kernel;
  unsigned block[3] = {}, thread[3] = {};
  Trail trail;
  std::string line;  // if it is known without a trail

  bool is_known() const { return !trail.empty() || !line.empty(); }
};

struct Finding {
  std::string kind, message;
  Actor at;
  Actor other;      // the access that it conflicts with, if it has a trail
  Extent extent{};  // the allocation that it is about
  bool has_extent = false;
};

inline const char* memory_name(Memory memory) {
  switch (memory) {
    case Memory::host: return "host memory";
    case Memory::managed: return "managed memory";
    case Memory::shared: return "shared memory";
    case Memory::heap: return "memory that a kernel allocated";
    default: return "device memory";
  }
}

// Describe an address by the allocation that it is in or next to.
inline std::string describe(uintptr_t address, const Extent& extent) {
  const uintptr_t end = extent.start + extent.size;
  const bool is_inside = address >= extent.start && address < end;
  const uint64_t distance = is_inside                ? address - extent.start
                            : address < extent.start ? extent.start - address
                                                     : address - end;
  const char* const relation = is_inside ? "into" : address < extent.start ? "before" : "behind the end of";
  char text[200];
  std::snprintf(text, sizeof text, "%" PRIu64 " bytes %s %s%s of %zu bytes", distance, relation,
                memory_name(extent.memory), extent.freed ? " that was freed," : "", extent.size);
  return text;
}

class Findings {
 public:
  static Findings& instance() {
    static Findings& all = *new Findings;
    return all;
  }

  // Return whether there was a finding of this kind at these places; it is counted then.
  bool is_known(const std::string& kind, uintptr_t at, uintptr_t other) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = counts_.find({kind, at, other});
    if (found == counts_.end()) return false;
    ++found->second.second;
    return true;
  }

  void add(const Finding& finding, uintptr_t at, uintptr_t other = 0) {
    if (is_known(finding.kind, at, other)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto number = counts_.size();
    counts_[{finding.kind, at, other}] = {number, 1};
    // Code that is inlined at several places has several addresses.
    const std::string line = line_of(finding.at), other_line = line_of(finding.other);
    const bool is_same =
        !line.empty() && !seen_.insert(finding.kind + line + "|" + other_line + finding.at.kernel).second;
    if (is_same || counts_.size() > kMost) return;
    ++shown_;
    if (file_ != nullptr)
      write(finding, number, line, other_line);
    else
      print(finding, line, other_line);
  }

  bool is_library(const Trail& trail) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_.is_library(trail);
  }

  size_t count() const { return shown_; }

  void finish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ != nullptr) {
      for (const auto& [key, count] : counts_)
        std::fprintf(file_, "{\"count\": %zu, \"number\": %zu}\n", count.second, count.first);
      std::fclose(file_);
      file_ = nullptr;
    } else if (shown_ != 0) {
      std::fprintf(stderr, "hipport: %zu finding%s\n", shown_, shown_ == 1 ? "" : "s");
    }
  }

 private:
  static constexpr size_t kMost = 500;

  Findings() {
    const char* const path = std::getenv("HIPPORT_CHECK_REPORT");
    if (path == nullptr || *path == '\0') return;
    file_ = std::fopen(path, "ae");
    if (file_ == nullptr) return;
    std::fputs("{\"tool\": \"check\", \"number\": -2}\n", file_);
    std::fflush(file_);
  }

  std::string line_of(const Actor& actor) { return actor.line.empty() ? lines_.of(actor.trail) : actor.line; }

  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) < 0x20)
        out += ' ';
      else
        out += c;
    }
    return out + "\"";
  }

  static std::string place(const Actor& actor, const std::string& line) {
    char text[200];
    std::snprintf(text, sizeof text, "\"block\": [%u, %u, %u], \"thread\": [%u, %u, %u], ", actor.block[0],
                  actor.block[1], actor.block[2], actor.thread[0], actor.thread[1], actor.thread[2]);
    return (actor.kernel.empty() ? "" : text) + std::string("\"instruction\": \"\", \"offset\": \"\", \"line\": ") +
           quoted(line);
  }

  void write(const Finding& finding, size_t number, const std::string& line, const std::string& other_line) {
    std::string text = "{\"number\": " + std::to_string(number) + ", \"kind\": " + quoted(finding.kind) +
                       ", \"message\": " + quoted(finding.message) + ", \"kernel\": " + quoted(finding.at.kernel) +
                       ", \"target\": \"cpu\", " + place(finding.at, line);
    if (finding.other.is_known()) text += ", \"other\": {" + place(finding.other, other_line) + "}";
    if (finding.has_extent) {
      const Extent& extent = finding.extent;
      text += ", \"allocation\": {\"memory\": " + quoted(memory_name(extent.memory)) +
              ", \"bytes\": " + std::to_string(extent.size) + ", \"line\": " + quoted(lines_.of(extent.allocated_at)) +
              ", \"freed\": " + quoted(lines_.of(extent.freed_at)) + "}";
    }
    std::fprintf(file_, "%s}\n", text.c_str());
    std::fflush(file_);
  }

  static void print_actor(const char* word, const Actor& actor, const std::string& line) {
    std::fprintf(stderr, "  %s %s", word, line.empty() ? "an unknown line" : line.c_str());
    if (actor.kernel.empty())
      std::fputs(", on the host\n", stderr);
    else
      std::fprintf(stderr, ", block (%u, %u, %u), thread (%u, %u, %u)\n", actor.block[0], actor.block[1],
                   actor.block[2], actor.thread[0], actor.thread[1], actor.thread[2]);
  }

  void print(const Finding& finding, const std::string& line, const std::string& other_line) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s: %s\n",
                 !line.empty()               ? line.c_str()
                 : finding.at.kernel.empty() ? "host"
                                             : finding.at.kernel.c_str(),
                 finding.kind.c_str(), finding.message.c_str());
    if (!finding.at.kernel.empty()) std::fprintf(stderr, "  kernel %s on cpu\n", finding.at.kernel.c_str());
    if (finding.at.is_known()) print_actor("at", finding.at, line);
    if (finding.other.is_known()) print_actor("and", finding.other, other_line);
    if (!finding.has_extent) return;
    const std::string made = lines_.of(finding.extent.allocated_at), freed = lines_.of(finding.extent.freed_at);
    if (!made.empty())
      std::fprintf(stderr, "  %zu bytes of %s, allocated at %s\n", finding.extent.size,
                   memory_name(finding.extent.memory), made.c_str());
    if (!freed.empty()) std::fprintf(stderr, "  freed at %s\n", freed.c_str());
  }

  std::mutex mutex_;
  std::map<std::tuple<std::string, uintptr_t, uintptr_t>, std::pair<size_t, size_t>> counts_;
  std::set<std::string> seen_;
  size_t shown_ = 0;
  Lines lines_;
  FILE* file_ = nullptr;
};

}  // namespace hipport::cpu::checks
