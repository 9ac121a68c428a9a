"""Work on several streams, in events' order, captured and built as graphs: what it computes one after another."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.translate.adversarial.fields import Case

CELLS = 6

HEAD = """\
__global__ void step(unsigned* to, const unsigned* from, unsigned by, unsigned add) {
  for (volatile int i = 0; i < 50; ++i) {}
  *to = *to * by + *from + add;
}
struct Noted {
  unsigned* value;
  unsigned by, add;
};
static void note(void* data) {
  const Noted& n = *(const Noted*)data;
  *n.value = *n.value * n.by + n.add;
}
static void called(cudaStream_t, cudaError_t status, void* data) {
  note(data);
  *((const Noted*)data)->value += (unsigned)status;
}
"""


@dataclass(frozen=True, slots=True)
class Step:
    """Work: the cells that it writes and reads (a host's number is cell -1), and what it does to them."""

    kind: str
    writes: int
    reads: int
    by: int = 0
    add: int = 0

    def conflicts(self, other: Step) -> bool:
        """Return whether the order of two steps matters."""
        return self.writes in (other.writes, other.reads) or other.writes == self.reads

    def apply(self, cells: dict[int, int]) -> None:
        """Do it to the cells."""
        values = {
            "kernel": cells[self.writes] * self.by + cells[self.reads] + self.add,
            "copy": cells[self.reads],
            "upload": self.add,
            "set": (self.add & 255) * 0x01010101,
            "host": cells[self.writes] * self.by + self.add,
            "callback": cells[self.writes] * self.by + self.add,
        }
        cells[self.writes] = values[self.kind] % (1 << 32)


def _steps(choose: random.Random, count: int, kinds: Sequence[str]) -> list[Step]:
    made = []
    for _ in range(count):
        kind = choose.choice(kinds)
        to, from_ = choose.sample(range(CELLS), 2)
        by, add = choose.randrange(3, 99, 2), choose.randrange(1000)
        host = kind in ("host", "callback")
        made.append(Step(kind, -1 if host else to, from_ if kind in ("kernel", "copy") else -2, by, add))
    return made


@dataclass(slots=True)
class _Streams:
    """Writes steps on streams: an event makes each wait for what it must follow on another stream."""

    choose: random.Random
    names: Sequence[str]
    events: int = 0
    done: list[tuple[Step, str, str]] = field(default_factory=list)
    """Steps, their streams, and the event behind each."""

    def follow(self, step: Step, stream: str) -> Iterator[str]:
        """Write a step and what it waits for: of each other stream the last step that conflicts."""
        for other in self.names:
            before = [event for each, where, event in self.done if where == other and each.conflicts(step)]
            if other != stream and before:
                yield f"put(cudaStreamWaitEvent({stream}, {before[-1]}, 0));"
        yield self.call(step, stream)
        event = f"e[{self.events}]"
        self.events += 1
        yield f"put(cudaEventRecord({event}, {stream}));"
        self.done.append((step, stream, event))

    def call(self, step: Step, stream: str) -> str:
        """Return the statement of a step on a stream."""
        to, from_ = f"x + {step.writes}", f"x + {step.reads}"
        if step.kind == "kernel":
            return f"step<<<1, 1, 0, {stream}>>>({to}, {from_}, {step.by}, {step.add});"
        if step.kind == "copy":
            return f"put(cudaMemcpyAsync({to}, {from_}, 4, cudaMemcpyDeviceToDevice, {stream}));"
        if step.kind == "upload":
            source = f"numbers + {self.events}"
            return (
                f"*({source}) = {step.add}; put(cudaMemcpyAsync({to}, {source}, 4, cudaMemcpyHostToDevice, {stream}));"
            )
        if step.kind == "set":
            return f"put(cudaMemsetAsync({to}, {step.add & 255}, 4, {stream}));"
        made = f"notes[{self.events}] = {{&counted, {step.by}, {step.add}}};"
        call = "cudaLaunchHostFunc({}, note, {})" if step.kind == "host" else "cudaStreamAddCallback({}, called, {}, 0)"
        return f"{made} put({call.format(stream, f'&notes[{self.events}]')});"


_BEGIN = (
    "unsigned *x, *numbers, counted = 1, found[6]; Noted notes[40]; cudaEvent_t e[40]; cudaStream_t s[3];",
    "cudaMalloc(&x, 24); cudaMallocHost(&numbers, 160); for (int i = 0; i < 6; ++i) found[i] = 10 + i;",
    "cudaMemcpy(x, found, 24, cudaMemcpyDefault); for (auto& each : e) "
    "cudaEventCreateWithFlags(&each, cudaEventDisableTiming);",
)
_END = (
    "cudaMemcpy(found, x, 24, cudaMemcpyDefault); for (unsigned each : found) put(each); put(counted);",
    "for (auto each : e) put(cudaEventQuery(each)), cudaEventDestroy(each);",
    "for (auto each : s) put(cudaStreamQuery(each)), put(cudaStreamDestroy(each)); cudaFree(x); cudaFreeHost(numbers);",
)


def _expected(lines: Sequence[str], times: int, steps: Sequence[Step]) -> str:
    """Return what a case prints: no errors, the cells, and no errors again."""
    cells = {-2: 0, -1: 1, **{i: 10 + i for i in range(CELLS)}}
    for step in [*steps] * times:
        step.apply(cells)
    before = ["0"] * "\n".join(lines).count("put(")
    values = [f"{cells[i]:x}" for i in (*range(CELLS), -1)]
    return " ".join((*before, *values, *["0"] * (40 + 3 + 3), "0"))


def _created(choose: random.Random) -> Iterator[str]:
    for number in range(3):
        yield choose.choice((
            f"put(cudaStreamCreate(&s[{number}]));",
            f"put(cudaStreamCreateWithFlags(&s[{number}], cudaStreamNonBlocking));",
            f"put(cudaStreamCreateWithPriority(&s[{number}], cudaStreamNonBlocking, 0));",
        ))  # fmt: skip


_KINDS = ("kernel", "kernel", "kernel", "copy", "upload", "set", "host")


def orders(choose: random.Random, number: int) -> Case:
    """Return a case of steps on streams, two of which can be the default streams."""
    names = ["s[0]", "s[1]", "s[2]", *choose.sample(("cudaStreamPerThread", "cudaStreamLegacy", "0"), 1)]
    steps = _steps(choose, choose.randint(10, 25), (*_KINDS, "callback"))
    streams = _Streams(choose, names)
    lines = [*_BEGIN, *_created(choose)]
    for step in steps:
        lines += streams.follow(step, choose.choice(names))
    lines.append("put(cudaDeviceSynchronize());")
    return Case([*lines, *_END], "", _expected(lines, 1, steps))


def captures(choose: random.Random, number: int) -> Case:
    """Return a case of steps captured from streams that fork off one and join it, launched several times."""
    names = ["s[0]", "s[1]", "s[2]"]
    steps = _steps(choose, choose.randint(6, 14), _KINDS)
    streams = _Streams(choose, names)
    mode = choose.choice(("Global", "ThreadLocal", "Relaxed"))
    body = [f"put(cudaStreamBeginCapture(s[0], cudaStreamCaptureMode{mode}));", "put(cudaEventRecord(e[38], s[0]));"]
    body += [f"put(cudaStreamWaitEvent({name}, e[38], 0));" for name in names[1:]]
    for step in steps:
        body += streams.follow(step, choose.choice(names))
    for name, event in zip(names[1:], ("e[36]", "e[37]"), strict=True):
        body += [f"put(cudaEventRecord({event}, {name}));", f"put(cudaStreamWaitEvent(s[0], {event}, 0));"]
    body.append("cudaGraph_t graph, taken; put(cudaStreamEndCapture(s[0], &graph)); taken = graph;")
    if choose.random() < 0.4:
        body.append("put(cudaGraphClone(&taken, graph)); put(cudaGraphDestroy(graph));")
    body.append(
        choose.choice((
            "cudaGraphExec_t exec; put(cudaGraphInstantiate(&exec, taken, 0));",
            "cudaGraphExec_t exec; put(cudaGraphInstantiateWithFlags(&exec, taken, 0));",
        ))
    )  # fmt: skip
    times = choose.randint(1, 3)
    body += ["put(cudaGraphLaunch(exec, s[1]));"] * times
    body.append("put(cudaStreamSynchronize(s[1])); put(cudaGraphExecDestroy(exec)); put(cudaGraphDestroy(taken));")
    lines = [*_BEGIN, *_created(choose), *body]
    # An event recorded in a capture is not to be asked about.
    end = [line.replace("put(cudaEventQuery(each)), ", "put(0), ") for line in _END]
    return Case([*lines, *end], "", _expected(lines, times, steps))


class _Graph:
    """Writes a graph of nodes with the dependencies that conflicts ask for, and sometimes others."""

    def __init__(self, choose: random.Random, name: str):
        self.choose, self.name, self.made = choose, name, list[Step]()

    def node(self, step: Step) -> Iterator[str]:
        number = len(self.made)
        before = [i for i, each in enumerate(self.made) if each.conflicts(step) or self.choose.random() < 0.1]
        self.made.append(step)
        given = f"after, {len(before)}"
        if before:
            yield f"{{ const cudaGraphNode_t after[] = {{{', '.join(f'n[{i}]' for i in before)}}};"
        else:
            yield "{ const cudaGraphNode_t* after = nullptr;"
        yield from (f"  {line}" for line in self.added(step, f"n[{number}]", f"{self.name}, {given}"))
        yield "}"

    def added(self, step: Step, node: str, where: str) -> Iterator[str]:
        to, from_ = f"x + {step.writes}", f"x + {step.reads}"
        if step.kind == "kernel":
            yield f"unsigned *to = {to}, *from = {from_}, by = {step.by}, add = {step.add};"
            yield "void* arguments[] = {&to, &from, &by, &add}; cudaKernelNodeParams p = {};"
            yield "p.func = (void*)step; p.gridDim = dim3(1); p.blockDim = dim3(1); p.kernelParams = arguments;"
            yield f"put(cudaGraphAddKernelNode(&{node}, {where}, &p));"
        elif step.kind == "copy":
            yield f"put(cudaGraphAddMemcpyNode1D(&{node}, {where}, {to}, {from_}, 4, cudaMemcpyDeviceToDevice));"
        elif step.kind == "set":
            value = (step.add & 255) * 0x01010101
            yield f"cudaMemsetParams p = {{}}; p.dst = {to}; p.value = {value}; p.elementSize = 4;"
            yield f"p.width = 1; p.height = 1; put(cudaGraphAddMemsetNode(&{node}, {where}, &p));"
        else:
            number = len(self.made)
            yield f"notes[{number}] = {{&counted, {step.by}, {step.add}}};"
            yield f"cudaHostNodeParams p = {{note, &notes[{number}]}};"
            yield f"put(cudaGraphAddHostNode(&{node}, {where}, &p));"


def graphs(choose: random.Random, number: int) -> Case:
    """Return a case of a graph made of nodes, whose executable can be updated from one with other numbers."""
    steps = _steps(choose, choose.randint(4, 12), ("kernel", "kernel", "copy", "set", "host"))
    graph = _Graph(choose, "graph")
    lines = [*_BEGIN, *_created(choose), "cudaGraph_t graph; put(cudaGraphCreate(&graph, 0)); cudaGraphNode_t n[20];"]
    for step in steps:
        lines += graph.node(step)
    run = steps
    launched, end = "graph", ""
    if choose.random() < 0.3:
        lines.append("cudaGraph_t parent; put(cudaGraphCreate(&parent, 0)); cudaGraphNode_t child, first;")
        lines.append("put(cudaGraphAddEmptyNode(&first, parent, nullptr, 0));")
        lines.append("put(cudaGraphAddChildGraphNode(&child, parent, &first, 1, graph));")
        launched, end = "parent", " put(cudaGraphDestroy(parent));"
    lines.append(f"cudaGraphExec_t exec; put(cudaGraphInstantiate(&exec, {launched}, 0));")
    kernels = [i for i, step in enumerate(steps) if step.kind == "kernel"]
    if kernels and launched == "graph" and choose.random() < 0.5:
        at = choose.choice(kernels)
        changed = Step("kernel", steps[at].writes, steps[at].reads, steps[at].by + 2, steps[at].add + 9)
        run = [*steps[:at], changed, *steps[at + 1 :]]
        lines.append("{ cudaKernelNodeParams p = {}; p.func = (void*)step; p.gridDim = p.blockDim = dim3(1);")
        lines.append(f"  unsigned *to = x + {changed.writes}, *from = x + {changed.reads}, by = {changed.by};")
        lines.append(f"  unsigned add = {changed.add}; void* arguments[] = {{&to, &from, &by, &add}};")
        lines.append(f"  p.kernelParams = arguments; put(cudaGraphExecKernelNodeSetParams(exec, n[{at}], &p)); }}")
    times = choose.randint(1, 3)
    lines += ["put(cudaGraphLaunch(exec, s[2]));"] * times
    lines.append(
        f"put(cudaStreamSynchronize(s[2])); put(cudaGraphExecDestroy(exec));{end} put(cudaGraphDestroy(graph));"
    )
    return Case([*lines, *_END], "", _expected(lines, times, run))
