"""Barriers, fences, cross-lane operations, and thread control."""

from __future__ import annotations

import re

from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.rules import Action, rule, special_rule
from hipport.translate.ptx.tree import Instruction, Negated, Operand, Pair

LANES, GRIDS = "lanes.h", "grids.h"
_FENCES = {
    "cta": "__threadfence_block()",
    "gl": "__threadfence()",
    "gpu": "__threadfence()",
    "cluster": "__threadfence()",
}
_PROXY = "AMD GPUs have a single memory proxy, so this fence has no effect"
_SYNCHRONOUS = "cp.async copies complete immediately, so there is nothing to wait for"
_NO_OVERLAP = "kernels of a stream do not overlap on AMD GPUs"
_NO_HINT = "the hint is dropped"
_NO_REGISTERS = "all wavefronts of a kernel have the same number of registers on AMD GPUs"
_BAR = r"(?:bar|barrier)(?:\.cta)?"


def _fence(emitter: Emitter, _: Instruction, match: re.Match[str]) -> None:
    emitter.effect(_FENCES.get(match["scope"], "__threadfence_system()"))


def _is_barrier_zero(emitter: Emitter, operand: Operand) -> bool:
    return emitter.value(operand).text.strip("()") == "0"


def _bar_sync(emitter: Emitter, instruction: Instruction, _: re.Match[str]) -> None:
    _whole_block(emitter, instruction.operands)
    emitter.effect("__syncthreads()")


def _whole_block(emitter: Emitter, operands: tuple[Operand, ...]) -> None:
    if len(operands) != 1:
        raise Unsupported("a barrier for part of the block")
    if not _is_barrier_zero(emitter, operands[0]):
        raise Unsupported("a barrier other than number 0")


def _bar_red(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, *barrier, predicate = instruction.operands
    _whole_block(emitter, tuple(barrier))
    function = {"popc": "count", "and": "and", "or": "or"}[match["op"]]
    call = f"__syncthreads_{function}({emitter.read(predicate, 'pred')})"
    emitter.touch()
    if function == "count":
        emitter.write(target, "u32", f"uint32_t({call})")
    else:
        emitter.write(target, "pred", f"{call} != 0")


def _shfl(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, value, lane, clamp, *mask = instruction.operands
    arguments = [emitter.read(operand, "b32") for operand in (value, lane, clamp)]
    arguments.append(emitter.read(mask[0], "b32") if mask else emitter.helper("@activemask()", LANES))
    function = f"@shfl_{match['mode']}"
    if isinstance(target, Pair):
        name = emitter.variable("inside", "bool")
        text = emitter.helper(f"{function}({', '.join(arguments)}, &{name})", LANES)
        emitter.write(target.first, "b32", text)
        emitter.write(target.second, "pred", name)
    else:
        emitter.write(target, "b32", emitter.helper(f"{function}({', '.join(arguments)})", LANES))


def _vote(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, predicate, *mask = instruction.operands
    test = emitter.read(predicate.operand if isinstance(predicate, Negated) else predicate, "pred", exact=True)
    test = f"!{test}" if isinstance(predicate, Negated) else test
    lanes = emitter.read(mask[0], "b32") if mask else emitter.helper("@activemask()", LANES)
    text = emitter.helper(f"@vote_{match['mode']}({test}, {lanes})", LANES)
    emitter.write(target, "b32" if match["mode"] == "ballot" else "pred", text)


def _match(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, value, mask = instruction.operands
    ptx = match["t"]
    arguments = f"{emitter.read(value, ptx)}, {emitter.read(mask, 'b32')}"
    function = f"@match_{match['mode']}<{'uint32_t' if ptx == 'b32' else 'uint64_t'}>"
    if isinstance(target, Pair):
        name = emitter.variable("same", "bool")
        emitter.write(target.first, "b32", emitter.helper(f"{function}({arguments}, &{name})", LANES))
        emitter.write(target.second, "pred", name)
    else:
        emitter.write(target, "b32", emitter.helper(f"{function}({arguments})", LANES))


def _elect(emitter: Emitter, instruction: Instruction, _: re.Match[str]) -> None:
    target, mask = instruction.operands
    if not isinstance(target, Pair):
        raise Unsupported("a result without a predicate")
    leader = emitter.temporary("leader", "uint32_t", emitter.helper(f"@leader({emitter.read(mask, 'b32')})", LANES))
    emitter.write(target.first, "b32", leader)
    emitter.write(target.second, "pred", emitter.helper(f"{leader} == @laneid()", LANES))


def _exit(emitter: Emitter, _: Instruction, match: re.Match[str]) -> None:
    if not emitter.in_kernel:
        raise Unsupported("the end of a thread outside the kernel's own body")
    emitter.effect("return")


def _nothing(caveat: str) -> Action:
    def act(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
        emitter.caveat(caveat)
        emitter.effect("(void)0")

    return act


RULES = (
    special_rule(r"membar\.(?P<scope>cta|gl|sys)", _fence, 0),
    special_rule(r"fence(?:\.(?:sc|acq_rel|acquire|release))?\.(?P<scope>cta|cluster|gpu|sys)", _fence, 0),
    special_rule(r"fence\.(?:proxy|mbarrier_init)\..*", _nothing(_PROXY), range(3)),
    special_rule(rf"{_BAR}\.sync(?:\.aligned)?", _bar_sync, range(1, 3)),
    special_rule(rf"{_BAR}\.red\.(?P<op>popc)(?:\.aligned)?\.u32", _bar_red, range(3, 5)),
    special_rule(rf"{_BAR}\.red\.(?P<op>and|or)(?:\.aligned)?\.pred", _bar_red, range(3, 5)),
    rule(r"bar\.warp\.sync", "= b32", "@warp_sync({a})", LANES),
    special_rule(r"shfl(?:\.sync)?\.(?P<mode>up|down|bfly|idx)\.b32", _shfl, range(4, 6)),
    special_rule(r"vote(?:\.sync)?\.(?P<mode>all|any|uni)\.pred", _vote, range(2, 4)),
    special_rule(r"vote(?:\.sync)?\.(?P<mode>ballot)\.b32", _vote, range(2, 4)),
    special_rule(r"match\.(?P<mode>any|all)\.sync\.(?P<t>b32|b64)", _match, 3),
    special_rule(r"elect\.sync", _elect, 2),
    rule(r"activemask\.b32", "b32 =", "@activemask()", LANES),
    rule(r"redux\.sync\.(?P<op>add|min|max)\.(?P<t>[us]32)", "t = t b32", "@redux_{op}<{t}>({a}, {b})", LANES),
    rule(r"redux\.sync\.(?P<op>and|or|xor)\.b32", "b32 = b32 b32", "@redux_{op}<uint32_t>({a}, {b})", LANES),
    rule(r"griddepcontrol\.launch_dependents", "=", "@launch_dependent_grids()", GRIDS, caveat=_NO_OVERLAP),
    rule(r"griddepcontrol\.wait", "=", "@wait_for_grids()", GRIDS, caveat=_NO_OVERLAP),
    special_rule(r"prefetch(?:u)?\..*", _nothing(_NO_HINT), range(1, 4)),
    special_rule(r"(?:applypriority|discard)\..*", _nothing(_NO_HINT), range(1, 4)),
    special_rule(r"setmaxnreg\..*", _nothing(_NO_REGISTERS), 1),
    special_rule(r"cp\.async\.(?:commit_group|wait_all)", _nothing(_SYNCHRONOUS), 0),
    special_rule(r"cp\.async\.wait_group", _nothing(_SYNCHRONOUS), 1),
    special_rule(r"exit", _exit, 0),
    rule(r"trap", "=", "__builtin_trap()"),
    rule(r"brkpt", "=", "@brkpt()", "clock.h"),
    rule(r"nanosleep\.u32", "= u32", "@nanosleep({a})", "clock.h"),
)
