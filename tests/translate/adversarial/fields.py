"""Fields of generated CUDA programs that print a line per case; an NVIDIA GPU is the oracle.

`python -m tests.translate.adversarial.FIELD SEED` prints a program, `--write FOLDER` writes those of all seeds,
`--record FOLDER` makes the record of what a GPU has printed (FIELD.*.txt there, which must be equal), and `--compare
SEED...` builds the programs for the CPU target and AMD GPUs and prints what differs from each other, from the record,
and from the values that the generator has computed. Cases that the translation reports (calls that a release of ROCm
lacks) differ, and are left out of a second build, so that the others are compared.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.translate.adversarial.recorded import NotBuiltError, Results, built, emulated, recorded

HERE = Path(__file__).parent
TARGETS = ("cpu", "gfx90a", "gfx1100")
OPTIMIZATION = ("-O", "1")
"""The subject is what is translated: a third of the time of `-O 3`, with the same results."""

HEAD = """\
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long ull;
typedef unsigned char uchar;
static std::string line;  // a case's values: nothing of it is printed if the program ends within the case
template <typename T>
static void put(T x) {
  char text[24];
  snprintf(text, sizeof text, " %llx", (ull)x);
  line += text;
}
// A hash; with SHOW_ALL the bytes, too.
static void hashed(const void* from, size_t bytes) {
  const uchar* all = (const uchar*)from;
  ull sum = 14695981039346656037ull;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ all[i]) * 1099511628211ull;
  put(sum);
  char text[16];
  for (size_t i = 0; getenv("SHOW_ALL") && i < bytes; ++i) {
    snprintf(text, sizeof text, "%s%02x", i % 32 ? "" : "\\n    ", all[i]);
    line += text;
  }
}
template <typename T>
static void hashed(const std::vector<T>& of) { hashed(of.data(), of.size() * sizeof(T)); }
// The status behind a case's values is that of its calls and kernels.
static void end(const char* name) {
  const cudaError_t ran = cudaDeviceSynchronize(), last = cudaGetLastError();
  printf("%s%s %d\\n", name, line.c_str(), (int)(ran != cudaSuccess ? ran : last));
  fflush(stdout);
  line.clear();
}
__host__ __device__ static inline ull mixed(ull x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull;
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
}
"""
"""The beginning of all programs: they print numbers and hashes of bytes."""
_MAIN = """\
int main() {
  const int first = getenv("FIRST") ? atoi(getenv("FIRST")) : 0;
  for (int i = first; i < %d; ++i) {
    char name[16];
    snprintf(name, sizeof name, "%d.%%d", i);
    cases[i]();
    end(name);
  }
}
"""
_REPORTED = re.compile(r":(\d+):\d+: error: (.*\[HP\d+\])$", re.MULTILINE)
_CASE = re.compile(r"static void case(\d+)\(\) \{")


@dataclass(frozen=True, slots=True)
class Case:
    """A function of a program: its statements print values.

    `expected` has these values and the status behind them if the generator knows them. `left_out` are the targets whose
    values are others for a reason that a diagnostic or the documentation says. `amds` are the values on targets where
    AMD's runtime has others than CUDA's.
    """

    statements: Sequence[str]
    declarations: str = ""
    expected: str = ""
    left_out: frozenset[str] = frozenset()
    amds: Mapping[str, str] = field(default_factory=dict)


Maker = Callable[[random.Random, int], Case]
"""Makes a case; the number is part of the names that it declares."""


@dataclass(frozen=True, slots=True)
class Field:
    """Programs of a kind: what is in front of their cases, what makes these, and how many of each maker."""

    name: str
    head: str
    makers: Sequence[tuple[Maker, int]]
    seeds: int
    options: tuple[str, ...] = ()
    listed: Sequence[Case] = ()
    """Cases that are not random: each program has a part of them."""
    unrecorded: frozenset[str] = frozenset()
    """Cases in which the GPU's compiler is at fault: targets are compared with one another."""

    @property
    def record(self) -> Path:
        return HERE / f"{self.name}.txt"

    def cases(self, seed: int) -> list[Case]:
        """Return the cases of a program."""
        every = [maker for maker, count in self.makers for _ in range(count)]
        made = [
            maker(random.Random(f"{self.name} {seed}, {number}"), number)  # the same whatever else a program has
            for number, maker in enumerate(every)
        ]
        return [*made, *self.listed[seed % self.seeds :: self.seeds]]

    def program(self, seed: int, targets: Sequence[str] = (), without: Container[int] = ()) -> str:
        """Return a program that prints for each case its name, its values and a status; $FIRST is its first case.

        What is left out on all of these targets does nothing: it may not compile for them.
        """
        made = [
            Case(()) if number in without or (targets and case.left_out.issuperset(targets)) else case
            for number, case in enumerate(self.cases(seed))
        ]
        functions = chain_lines(self._function(number, case) for number, case in enumerate(made))
        # By pointers: a compiler that puts all cases in one function takes much longer.
        table = f"static void (*const cases[])() = {{{', '.join(f'case{number}' for number in range(len(made)))}}};"
        return "\n".join((HEAD, self.head, *functions, table, _MAIN % (len(made), seed)))

    def _function(self, number: int, case: Case) -> Iterator[str]:
        yield case.declarations
        yield f"static void case{number}() {{"
        yield from (f"  {line}" for line in case.statements)
        yield "}"

    def known(self, seed: int) -> dict[int, str]:
        """Return what a GPU has printed by case, or else what the generator knows."""
        computed = {number: case.expected for number, case in enumerate(self.cases(seed)) if case.expected}
        on_a_gpu: Results = recorded(self.record.read_text()) if self.record.exists() else {}
        return computed | on_a_gpu.get(seed, {})

    def printed(self, seed: int, folder: Path, targets: Sequence[str]) -> dict[str, dict[int, str]]:
        """Build a program, run it on each target, and return what its cases have printed."""
        source = folder / f"{self.name}{seed}.cu"
        found: dict[str, dict[int, str]] = {}
        if "cpu" in targets:
            program, reported = self._built(seed, source, ["cpu"], "--target", "cpu")
            said = subprocess.run([program], capture_output=True, text=True, timeout=300)
            found["cpu"] = recorded(said.stdout).get(seed, {}) | reported
        if gpus := [target for target in targets if target != "cpu"]:
            program, reported = self._built(seed, source, gpus, "--offload-arch", ",".join(gpus))
            found.update((target, self._emulated(seed, program, target) | reported) for target in gpus)
        return found

    def _emulated(self, seed: int, program: Path, target: str) -> dict[int, str]:
        """Return what the cases print; behind one in which the program ends, the next ones run by themselves."""
        found: dict[int, str] = {}
        first, count = 0, len(self.cases(seed))
        while first < count:
            found |= emulated(program, target, FIRST=str(first)).get(seed, {})
            first = max(first, *(number + 1 for number in found)) if found else first
            first += first < count  # the case in which it ended
        return found

    def _built(self, seed: int, source: Path, targets: Sequence[str], *options: str) -> tuple[Path, dict[int, str]]:
        """Build a program; return it, and by case what the translation reports of those that are not in it."""
        source.write_text(self.program(seed, targets))
        try:
            return built(source, *options, *OPTIMIZATION, *self.options), {}
        except NotBuiltError as error:
            reported = reported_cases(source.read_text(), str(error))
            if not reported:
                raise
        source.write_text(self.program(seed, targets, reported.keys()))
        return built(source, *options, *OPTIMIZATION, *self.options), reported

    def differing(self, seed: int, printed: dict[str, dict[int, str]]) -> list[str]:
        """Return a line for each case whose values are not those known or, where none are, not those of all targets."""
        known, lines = self.known(seed), []
        for number, case in enumerate(self.cases(seed)):
            values = {target: each.get(number, "") for target, each in printed.items() if target not in case.left_out}
            right = known.get(number) or next(iter(values.values()), "")
            wrong = [f"{target}: {value}" for target, value in values.items() if value != case.amds.get(target, right)]
            if wrong or not right:
                lines.append(f"{seed}.{number}: {right}; {'; '.join(wrong)}")
        return lines


def chain_lines(of: Iterator[Iterator[str]]) -> Iterator[str]:
    """Yield the lines of all parts."""
    for each in of:
        yield from each


def reported_cases(program: str, said: str) -> dict[int, str]:
    """Return what the translation reports as errors, by the number of the case that has the line."""
    found: dict[int, str] = {}
    for line, message in _REPORTED.findall(said):
        before = _CASE.findall("\n".join(program.splitlines()[: int(line)]))
        if before:
            found.setdefault(int(before[-1]), message)
    return found


def fnv(data: bytes) -> str:
    """Return what `hashed` prints of bytes."""
    sum_ = 14695981039346656037
    for byte in data:
        sum_ = (sum_ ^ byte) * 1099511628211 % (1 << 64)
    return f"{sum_:x}"


def mixed(x: int) -> int:
    """Return what `mixed` of the programs returns."""
    top = (1 << 64) - 1
    x = ((x ^ x >> 31) * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) & top
    return (x ^ x >> 29) * 0xBF58476D1CE4E5B9 & top


def main(field: Field) -> int:
    """Do what the command says; return the number of differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, nargs="?")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--record", type=Path, metavar="FOLDER")
    parser.add_argument("--compare", type=int, nargs="*", metavar="SEED")
    parser.add_argument("--targets", default=",".join(TARGETS))
    arguments = parser.parse_args()
    if arguments.seed is not None:
        print(field.program(arguments.seed))
    if arguments.write:
        for seed in range(field.seeds):
            (arguments.write / f"{field.name}{seed}.cu").write_text(field.program(seed))
    if arguments.record:
        return _record(field, arguments.record)
    if arguments.compare is not None:
        return _compare(field, arguments.compare or range(field.seeds), arguments.targets.split(","))
    return 0


def _record(field: Field, folder: Path) -> int:
    """Write the record, without the lines in which the files of the folder differ; return how many these are."""
    files = sorted(folder.glob(f"{field.name}.*.txt"))
    printed = [{line.partition(" ")[0]: line for line in file.read_text().splitlines()} for file in files]
    same = {name: line for name, line in printed[0].items() if all(each.get(name) == line for each in printed)}
    same = {name: line for name, line in same.items() if name not in field.unrecorded}
    field.record.write_text("".join(f"{line}\n" for line in same.values()))
    different = sorted({name for each in printed for name in each} - same.keys())
    computed = {f"{seed}.{n}": case.expected for seed in range(field.seeds) for n, case in enumerate(field.cases(seed))}
    wrong = [name for name, line in same.items() if computed.get(name) not in ("", None, line.partition(" ")[2])]
    print(f"{len(same)} cases recorded; not alike: {different}; not what the generator computed: {wrong}")
    return len(different) + len(wrong)


def _compare(field: Field, seeds: Sequence[int], targets: Sequence[str]) -> int:
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            try:
                lines = field.differing(seed, field.printed(seed, Path(folder), targets))
            except NotBuiltError as error:
                lines = [f"{seed}: not built: {error}"]
            print("\n".join((*lines, f"seed {seed}: {len(field.cases(seed))} cases, {len(lines)} differ")), flush=True)
            found += len(lines)
    return found
