// SPDX-License-Identifier: MIT
// Writes each instruction of a wavefront, and the registers that it changes.
#include "tools.h"
#include "modes.h"
#include "operation_text.h"
#include "tool_report.h"

#include <hip/hip_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

namespace hipport::emulate {
namespace {

// What HIPPORT_EMULATE_TRACE says: KERNEL, or KERNEL@X,Y,Z,WAVE.
struct Selection {
  std::string kernel;
  Size3 group{0, 0, 0};
  unsigned wave = 0;
};

const Selection& selection() {
  static const Selection all = [] {
    const char* const text = std::getenv("HIPPORT_EMULATE_TRACE");
    Selection found;
    found.kernel = text == nullptr ? "" : text;
    const size_t at = found.kernel.rfind('@');
    if (at != found.kernel.npos) {
      std::sscanf(found.kernel.c_str() + at + 1, "%u,%u,%u,%u", &found.group.x, &found.group.y, &found.group.z,
                  &found.wave);
      found.kernel.resize(at);
    }
    return found;
  }();
  return all;
}

// What was launched, for a run in which nothing is traced.
class Launched {
 public:
  static Launched& all() {
    static Launched& found = *new Launched;  // used when the program exits
    return found;
  }

  void add(const std::string& kernel, bool is_selected) {
    const std::lock_guard lock(mutex_);
    kernels_.insert(kernel);
    has_selected_ |= is_selected;
  }

  // Return why nothing was traced.
  std::string reason() {
    const std::lock_guard lock(mutex_);
    const Selection& wanted = selection();
    const Size3& group = wanted.group;
    if (has_selected_)
      return "no launch of " + wanted.kernel + " has wavefront " + std::to_string(wanted.wave) + " in block (" +
             std::to_string(group.x) + ", " + std::to_string(group.y) + ", " + std::to_string(group.z) + ")";
    if (kernels_.empty()) return "the program launched no kernel";
    std::string names;
    for (const std::string& name : kernels_) names += "\n  " + name;
    return "the program launched no kernel " + wanted.kernel + ", only:" + names;
  }

  std::atomic<bool> is_traced{false};  // the first launch only

 private:
  std::mutex mutex_;
  std::set<std::string> kernels_;
  bool has_selected_ = false;
};

// Return whether text has a name that follows nothing, a blank or a scope, and that a list of parameters follows.
bool declares(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == ':';
    if (begins && text[at + name.size()] == '(') return true;
  }
  return false;
}

// Return whether a kernel is the selected one: by its mangled name, which holds its own (`_Z5addPf` is found as "add"), or
// as findings write it, with or without parameters.
bool is_selected(const std::string& name, const std::string& readable) {
  const std::string& wanted = selection().kernel;
  if (wanted.empty()) return false;
  return name == wanted || readable == wanted || declares(readable, wanted) ||
         name.find(std::to_string(wanted.size()) + wanted) != name.npos;
}

class Tracer : public Tool {
 public:
  explicit Tracer(const Watched& watched) : program_(*watched.program) {}

  void start(Size3 group, std::vector<Wave>& waves, unsigned) override {
    const Selection& wanted = selection();
    const bool here = group.x == wanted.group.x && group.y == wanted.group.y && group.z == wanted.group.z;
    const bool is_wanted = here && wanted.wave < waves.size() && !Launched::all().is_traced.exchange(true);
    traced_ = is_wanted ? &waves[wanted.wave] : nullptr;
  }

  const Op* step(Wave& wave, const Op* op) override {
    if (&wave != traced_) return run_one(wave, op);
    const Rows vectors = wave.vectors;
    uint32_t scalars[kScalars];
    std::memcpy(scalars, wave.scalars, sizeof scalars);
    const bool scc = wave.scc;
    char offset[16];
    std::snprintf(offset, sizeof offset, "%06x  ", op->offset);
    const std::string line = program_.line(op);
    report_line(offset + text_of(*op) + (line.empty() ? "" : "  ; " + line));
    const Op* const next = run_one(wave, op);
    for (unsigned i = 0; i < kNowhere; ++i)
      if (scalars[i] != wave.scalars[i]) changed_scalar(i, scalars[i], wave.scalars[i]);
    if (scc != wave.scc) report_line(std::string("          scc = ") + (wave.scc ? "1" : "0"));
    for (size_t at = 0; at < vectors.size(); at += wave.lanes)
      if (std::memcmp(&vectors[at], &wave.vectors[at], wave.lanes * 4) != 0) changed_vector(wave, vectors, at);
    return next;
  }

 private:
  static void changed_scalar(unsigned number, uint32_t from, uint32_t to) {
    const std::string name = number == kVcc        ? "vcc_lo"
                             : number == kVcc + 1  ? "vcc_hi"
                             : number == kExec     ? "exec_lo"
                             : number == kExec + 1 ? "exec_hi"
                             : number == kM0       ? "m0"
                                                   : "s" + std::to_string(number);
    char text[64];
    std::snprintf(text, sizeof text, "          %s = 0x%x (was 0x%x)", name.c_str(), to, from);
    report_line(text);
  }

  // Lanes in a row that have the same value are written as one.
  static void changed_vector(const Wave& wave, const Rows& before, size_t at) {
    const size_t number = at / wave.lanes;
    std::string line = "          " + (number < kAccumulators ? "v" + std::to_string(number)
                                                              : "a" + std::to_string(number - kAccumulators));
    for (unsigned first = 0; first < wave.lanes;) {
      const uint32_t value = wave.vectors[at + first];
      unsigned last = first;
      const bool is_changed = before[at + first] != value;
      while (last + 1 < wave.lanes && wave.vectors[at + last + 1] == value &&
             (before[at + last + 1] != value) == is_changed)
        ++last;
      char text[64];
      if (first == last)
        std::snprintf(text, sizeof text, " %u: 0x%x", first, value);
      else
        std::snprintf(text, sizeof text, " %u-%u: 0x%x", first, last, value);
      if (is_changed) line += text;
      first = last + 1;
    }
    report_line(line);
  }

  const Program& program_;
  Wave* traced_ = nullptr;
};

}  // namespace

std::unique_ptr<Tool> make_tracer(const Watched& watched) {
  const std::string& name = watched.launch->kernel->name;
  const std::string readable = hipport::cpu::demangled(name.c_str());
  const bool selected = is_selected(name, readable);
  Launched::all().add(readable, selected);
  if (!selected) return nullptr;
  return std::make_unique<Tracer>(watched);
}

void finish_trace() {
  if (!Launched::all().is_traced) report_line("hipport: nothing was traced: " + Launched::all().reason());
}

}  // namespace hipport::emulate
