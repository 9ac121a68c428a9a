// SPDX-License-Identifier: MIT
// Writes each instruction of a wavefront, and the registers that it changes.
#include "tools.h"
#include "modes.h"
#include "operation_text.h"
#include "tool_report.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

class Tracer : public Tool {
 public:
  explicit Tracer(const Watched& watched) : program_(*watched.program) {}

  void start(Size3 group, std::vector<Wave>& waves, unsigned) override {
    const Selection& wanted = selection();
    const bool here = group.x == wanted.group.x && group.y == wanted.group.y && group.z == wanted.group.z;
    static std::atomic<bool> is_traced{false};  // the first launch only
    traced_ = here && wanted.wave < waves.size() && !is_traced.exchange(true) ? &waves[wanted.wave] : nullptr;
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
  const std::string& wanted = selection().kernel;
  // A mangled name holds the kernel's name; `_Z5addPf` is found as "add".
  if (name != wanted && name.find(std::to_string(wanted.size()) + wanted) == name.npos) return nullptr;
  return std::make_unique<Tracer>(watched);
}

}  // namespace hipport::emulate
