// SPDX-License-Identifier: MIT
// Queries about instructions and targets, and the execution of single instructions, for tests.
#include "barriers.h"
#include "bind.h"
#include "modes.h"
#include "program.h"
#include "targets.h"

#include <algorithm>
#include <cstring>

// Write the name of the instruction at `bytes` to `name`, with a "!" if it is not supported, and that of the second
// half of a dual instruction after a space. Return its size, or 0 if it is none.
extern "C" unsigned hipport_decode(const char* processor, const unsigned char* bytes, size_t available, char* name,
                                   size_t room) {
  using namespace hipport::emulate;
  const Processor* const found = find_processor(processor);
  if (found == nullptr) return 0;
  std::string all;
  unsigned size = 0;
  for (const Decoded& decoded : decode(*found, bytes, available)) {
    all += (all.empty() ? "" : " ") + std::string(decoded.name);
    if (!is_supported(bind(*found, decoded, found->generation == 9 ? 64 : 32))) all += "!";
    size = decoded.size;
  }
  std::strncpy(name, all.c_str(), room);
  return size;
}

// Write the register operands of the instruction at `bytes` to `text`, such as "v4:2 s106:1" for v[4:5] and vcc_lo.
// Return its size.
extern "C" unsigned hipport_operands(const char* processor, const unsigned char* bytes, size_t available, char* text,
                                     size_t room) {
  using namespace hipport::emulate;
  std::string all;
  unsigned size = 0;
  for (const Decoded& decoded : decode(*find_processor(processor), bytes, available)) {
    for (const Operand& operand : decoded.operands) {
      if (operand.bank != Bank::kVector && operand.bank != Bank::kScalar) continue;
      const bool vector = operand.bank == Bank::kVector, accumulator = vector && operand.number >= kAccumulators;
      all += (all.empty() ? "" : " ") +
             std::string(accumulator ? "a"
                         : vector    ? "v"
                                     : "s") +
             std::to_string(operand.number - (accumulator ? kAccumulators : 0)) + ":" + std::to_string(operand.count);
    }
    size = decoded.size;
  }
  std::strncpy(text, all.c_str(), room);
  return size;
}

// The registers and the memory that hipport_execute starts with, and leaves.
struct hipport_state {
  uint32_t* scalars;  // as many as `kScalars`, by the emulator's numbers
  uint32_t* vectors;  // 512 registers of `lanes` lanes
  uint8_t* local;
  size_t local_bytes;
  uint32_t scc, mode;
  uint8_t* private_memory;  // of one lane after the other
  size_t private_bytes;     // of each
};

// Return which instruction set translated code uses at most here: 0 for none, 1 for AVX2, 2 for AVX-512.
extern "C" int hipport_vectors() { return int(hipport::emulate::processor_vectors()); }

// Execute code that ends with s_endpgm. Return 0, or 1 with a message if that failed. `vectors` is not 0 to execute it as
// sequences that are translated for an instruction set, as hipport_vectors() numbers them; with 4 added, registers may hold
// anything in the end, as in kernels.
extern "C" int hipport_execute(const char* processor, unsigned lanes, const unsigned char* code, size_t size,
                               hipport_state* state, int vectors, char* message, size_t room) {
  using namespace hipport::emulate;
  try {
    const Processor* const found = find_processor(processor);
    if (found == nullptr) throw Fault("the processor is not known");
    constexpr unsigned registers = 512;
    Program program(*found, code, size, lanes);
    const uint64_t entry = reinterpret_cast<uint64_t>(code);
    const bool fused = vectors != 0;
    const bool keeps_registers = (vectors & 4) == 0;
    if (fused) program.fuse(entry, std::min(VectorSet(vectors & 3), processor_vectors()), keeps_registers);
    WorkGroupWithBarriers group;
    group.resize_local(state->local_bytes);
    std::copy_n(state->local, state->local_bytes, group.local.begin());
    Wave wave(lanes, registers);
    wave.group = &group;
    wave.program = &program;
    wave.scc = state->scc != 0;
    wave.mode = state->mode;
    wave.private_memory = state->private_memory;
    wave.private_bytes = state->private_bytes;
    std::copy(state->scalars, state->scalars + kScalars, wave.scalars);
    std::copy(state->vectors, state->vectors + registers * lanes, wave.v(0));
    wave.exec_changed();
    const Op* const start = fused && set_bases(wave, program.first_vectors()) ? program.linear_start(entry) : nullptr;
    wave.next = start != nullptr ? start : program.at(entry);
    while (!wave.ended)
      for (const Op* op = wave.next; op != nullptr;) op = run_one(wave, op);
    state->scc = wave.scc;
    state->mode = wave.mode;
    std::copy(wave.scalars, wave.scalars + kScalars, state->scalars);
    std::copy(wave.v(0), wave.v(registers), state->vectors);
    std::copy(group.local.begin(), group.local.end(), state->local);
    return 0;
  } catch (const std::exception& error) {
    std::strncpy(message, error.what(), room);
    return 1;
  }
}

// Return how well code for a target fits a GPU, as fitness() does.
extern "C" int hipport_fitness(const char* code, const char* gpu) { return hipport::emulate::fitness(code, gpu); }

// Write the GPU for images such as "gfx90a,gfx1100;gfx1100" to `name`: targets of an image are separated by commas,
// images by semicolons.
extern "C" void hipport_best_gpu(const char* images, char* name, size_t room) {
  using namespace hipport::emulate;
  std::vector<std::vector<Entry>> all(1);
  std::string target;
  for (const char* at = images;; ++at) {
    if (*at != '\0' && *at != ',' && *at != ';') {
      target += *at;
      continue;
    }
    if (!target.empty()) all.back().push_back({target, nullptr, 0});
    target.clear();
    if (*at == '\0') break;
    if (*at == ';') all.emplace_back();
  }
  std::strncpy(name, best_gpu(all).c_str(), room);
}
