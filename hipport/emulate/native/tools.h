// SPDX-License-Identifier: MIT
// Tools that watch a kernel while it is emulated: checks, a profile, a trace. One is chosen for the whole run by
// HIPPORT_EMULATE_TOOL; without it, wavefronts run in a loop that knows nothing of tools.
#pragma once

#include "access.h"
#include "grid.h"

#include <memory>

namespace hipport::emulate {

// What a tool knows of a launch. `memory` are ranges that kernels may read though the program did not allocate them.
struct Watched {
  const GridLaunch* launch;
  const Program* program;
  std::vector<std::pair<const void*, size_t>> memory;
};

// Watches the work-groups that one thread runs, one after the other.
class Tool {
 public:
  virtual ~Tool() = default;
  // `scalars` is the number of scalar registers that are set when a wavefront starts.
  virtual void start(Size3 group, std::vector<Wave>& waves, unsigned scalars) = 0;
  // Perform an operation and return the next one, as op->run does.
  virtual const Op* step(Wave& wave, const Op* op) = 0;
  // All wavefronts of the group that have not ended have reached a barrier.
  virtual void meet() {}
};

// Call before the work-groups of a launch run.
void begin_launch();

// Return whether a tool was chosen.
bool has_tool();

// Return the tool for work-groups of a launch, or null if none was chosen.
std::unique_ptr<Tool> make_tool(const Watched& watched);
std::unique_ptr<Tool> make_checker(const Watched& watched);
std::unique_ptr<Tool> make_profiler(const Watched& watched);
std::unique_ptr<Tool> make_tracer(const Watched& watched);

// Write what tools have to say at the end of the program. Called when it exits or is stopped.
void finish_tools();
void begin_checks();
void finish_checks();
void finish_profile();
void finish_trace();
void begin_profiled_launch();

}  // namespace hipport::emulate
