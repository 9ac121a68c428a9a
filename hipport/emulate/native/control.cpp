// SPDX-License-Identifier: MIT
// Branches, calls, barriers, the registers of the hardware, and what does nothing here.
#include "barriers.h"
#include "bind.h"
#include "hostcall.h"
#include "modes.h"
#include "program.h"
#include "scalar.h"

#include <chrono>

namespace hipport::emulate {
namespace {

template <auto Condition>
const Op* branch(Wave& wave, const Op* op) {
  return Condition(wave) ? op->target : op + 1;
}
const Op* nothing(Wave&, const Op* op) { return op + 1; }
// Kernels sleep while they wait for the host, among other things.
const Op* sleep(Wave&, const Op* op) {
  answer_hostcalls();
  return op + 1;
}
const Op* end_program(Wave& wave, const Op*) {
  wave.ended = true;
  return nullptr;
}
const Op* barrier(Wave& wave, const Op* op) {
  wave.at_barrier = true;
  wave.next = op + 1;
  return nullptr;
}
const Op* trap(Wave&, const Op* op) {
  if (op->immediate == 3) return op + 1;  // for debuggers
  throw Fault("a trap instruction was executed, as assert() and __builtin_trap() do");
}
// Cycles of the processor, whose clock has 1 GHz as the properties of the device say.
uint64_t cycles() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
// The time at 100 MHz.
uint64_t ticks() { return cycles() / 10; }
template <auto Now>
const Op* get_counter(Wave& wave, const Op* op) {
  set_scalar<uint64_t>(wave, op, 0, Now());
  return op + 1;
}
// Messages with an answer: the time, or addresses of the trap handler and of the queue, which do not exist.
template <typename T>
const Op* send_message(Wave& wave, const Op* op) {
  constexpr unsigned get_realtime = 0x83;
  set_scalar<T>(wave, op, 0, op->immediate == get_realtime ? T(ticks()) : T(0));
  return op + 1;
}
const Op* get_pc(Wave& wave, const Op* op) {
  set_scalar<uint64_t>(wave, op, 0, wave.program->address(op) + 4);
  return op + 1;
}
const Op* set_pc(Wave& wave, const Op* op) { return wave.program->at(scalar<uint64_t>(wave, op, 0)); }
const Op* swap_pc(Wave& wave, const Op* op) {
  const uint64_t to = scalar<uint64_t>(wave, op, 1);
  set_scalar<uint64_t>(wave, op, 0, wave.program->address(op) + 4);
  return wave.program->at(to);
}
const Op* call(Wave& wave, const Op* op) {
  set_scalar<uint64_t>(wave, op, 0, wave.program->address(op) + 4);
  return op->target;
}
// Hardware registers: `id | offset << 6 | (size - 1) << 11`.
const Op* get_register(Wave& wave, const Op* op) {
  constexpr unsigned mode = 1, memory_bases = 15, cycles_low = 29, cycles_high = 30;
  const unsigned code = unsigned(op->immediate) & 0xffff, offset = code >> 6 & 31, size = (code >> 11 & 31) + 1;
  uint32_t value = 0;
  if ((code & 63) == mode) value = wave.mode;
  if ((code & 63) == memory_bases) value = kPrivateAperture >> 16 | (kLocalAperture & 0xffff0000u);
  if ((code & 63) == cycles_low) value = uint32_t(cycles());
  if ((code & 63) == cycles_high) value = uint32_t(cycles() >> 32);
  set_scalar<uint32_t>(wave, op, 0, uint32_t(value >> offset & ((uint64_t(1) << size) - 1)));
  return op + 1;
}
// Where the usual mode begins or ends, the wavefront stops, to go on in the loop for its mode.
const Op* set_mode(Wave& wave, const Op* op, unsigned offset, unsigned size, uint32_t value) {
  const uint32_t field = uint32_t(((uint64_t(1) << size) - 1) << offset);
  const bool was_usual = is_usual_mode(wave);
  wave.mode = (wave.mode & ~field) | (value << offset & field);
  wave.next = op + 1;
  return was_usual == is_usual_mode(wave) ? op + 1 : nullptr;
}
// Only the mode register can be written. The operand is a scalar register, or a literal.
const Op* set_register(Wave& wave, const Op* op) {
  const unsigned code = unsigned(op->immediate) & 0xffff;
  for (unsigned i = 0; i < op->operand_count; ++i)
    if ((code & 63) == 1 && op->operands[i].bank != Bank::kNone)
      return set_mode(wave, op, code >> 6 & 31, (code >> 11 & 31) + 1, scalar<uint32_t>(wave, op, i));
  return op + 1;
}
template <unsigned Offset>
const Op* set_mode_part(Wave& wave, const Op* op) {
  return set_mode(wave, op, Offset, 4, uint32_t(op->immediate) & 15);
}

}  // namespace

void add_control(ScalarTable& table) {
  table["s_branch"] = &branch<([](const Wave&) { return true; })>;
  table["s_cbranch_scc0"] = &branch<([](const Wave& wave) { return !wave.scc; })>;
  table["s_cbranch_scc1"] = &branch<([](const Wave& wave) { return wave.scc; })>;
  table["s_cbranch_vccz"] = &branch<([](const Wave& wave) { return wave.mask(kVcc) == 0; })>;
  table["s_cbranch_vccnz"] = &branch<([](const Wave& wave) { return wave.mask(kVcc) != 0; })>;
  table["s_cbranch_execz"] = &branch<([](const Wave& wave) { return wave.exec() == 0; })>;
  table["s_cbranch_execnz"] = &branch<([](const Wave& wave) { return wave.exec() != 0; })>;
  for (const char* name : {"s_endpgm", "s_endpgm_saved"}) table[name] = &end_program;
  table["s_barrier"] = &barrier;
  add_barriers(table);
  table["s_trap"] = &trap;
  table["s_memtime"] = &get_counter<&cycles>;
  table["s_memrealtime"] = &get_counter<&ticks>;
  table["s_sleep"] = &sleep;
  table["s_getpc_b64"] = &get_pc;
  table["s_setpc_b64"] = &set_pc;
  table["s_swappc_b64"] = &swap_pc;
  table["s_call_b64"] = &call;
  table["s_getreg_b32"] = &get_register;
  for (const char* name : {"s_setreg_b32", "s_setreg_imm32_b32"}) table[name] = &set_register;
  table["s_round_mode"] = &set_mode_part<0>;
  table["s_denorm_mode"] = &set_mode_part<4>;
  table["s_sendmsg_rtn_b32"] = &send_message<uint32_t>;
  table["s_sendmsg_rtn_b64"] = &send_message<uint64_t>;
  // Time passes in no particular way, and memory is always up to date: there is nothing to wait for.
  for (const char* name : {"s_nop",
                           "s_waitcnt",
                           "s_setprio",
                           "s_sendmsg",
                           "s_icache_inv",
                           "s_clause",
                           "s_delay_alu",
                           "s_inst_prefetch",
                           "s_set_inst_prefetch_distance",
                           "s_waitcnt_depctr",
                           "s_waitcnt_vscnt",
                           "s_waitcnt_vmcnt",
                           "s_waitcnt_expcnt",
                           "s_waitcnt_lgkmcnt",
                           "s_dcache_inv",
                           "s_dcache_wb",
                           "s_dcache_inv_vol",
                           "s_gl1_inv",
                           "s_ttracedata",
                           "s_wait_loadcnt",
                           "s_wait_storecnt",
                           "s_wait_dscnt",
                           "s_wait_kmcnt",
                           "s_wait_alu",
                           "s_wait_idle",
                           "s_wait_event",
                           "s_wait_samplecnt",
                           "s_wait_bvhcnt",
                           "s_wait_expcnt",
                           "s_wait_loadcnt_dscnt",
                           "s_wait_storecnt_dscnt",
                           "s_sleep_var",
                           "s_singleuse_vdst",
                           "s_set_vgpr_msb",
                           "s_ttracedata_imm",
                           "s_wait_asynccnt",
                           "s_buffer_prefetch_data",
                           "s_prefetch_data_pc_rel",
                           "s_buffer_prefetch_inst",
                           "s_dcache_wb_vol",
                           "s_atc_probe",
                           "s_atc_probe_buffer",
                           "s_incperflevel",
                           "s_decperflevel",
                           "s_version",
                           "s_code_end",
                           "v_nop",
                           "v_clrexcp",
                           "buffer_wbinvl1",
                           "buffer_wbinvl1_vol",
                           "buffer_gl0_inv",
                           "buffer_gl1_inv",
                           "buffer_wbl2",
                           "buffer_invl2",
                           "buffer_inv",
                           "global_inv",
                           "global_wb",
                           "global_wbinv",
                           "s_prefetch_inst",
                           "s_prefetch_inst_pc_rel",
                           "s_prefetch_data",
                           "s_sethalt",
                           "s_wakeup",
                           "ds_nop"})
    table[name] = &nothing;
}

bool does_nothing(Run run) { return run == &nothing; }

}  // namespace hipport::emulate
