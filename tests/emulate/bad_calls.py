"""Generate a program that calls each function of HIP's runtime with arguments that it must refuse.

For each function that `hip_runtime_api.h` declares there is a call with proper arguments, one for each pointer that is
null, for each handle that is null, was never given, or was destroyed, for the streams that every program has, for
enumerators and flags that do not exist, for devices beyond the last one, and for sizes of 0 and of more than there is
memory. Each call runs in a process of its own, which prints one line: FUNCTION PARAMETER KIND RESULT. PARAMETER is a
number from 0 on, and RESULT is the status, or `signal N`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DECLARED = re.compile(
    r"(template\s*<[^>]*>\s*)?\b(?:(?:static|inline)\s+)*(?:hipError_t|int)\s+(hip[A-Z]\w+)\s*\(([^;{}]*?)\)\s*[;{]",
    re.S,
)
_DEFAULT = re.compile(r"\s*=.*$", re.S)
_WORDS = re.compile(r"\b(?:struct|enum|const)\b")
_ENUM = re.compile(r"\benum\s+(hip\w+)|\benum\b[^{};]*\{[^{}]*\}\s*(hip\w+)\s*;")

HANDLES = {
    "hipStream_t": "stream", "hipEvent_t": "event", "hipGraph_t": "graph", "hipGraphNode_t": "node",
    "hipGraphExec_t": "executable", "hipMemPool_t": "pool", "hipArray_t": "array", "hipArray_const_t": "array",
    "hipMipmappedArray_t": "mipmaps", "hipMipmappedArray_const_t": "mipmaps", "hipUserObject_t": "object",
}  # fmt: skip
"""The types of handles, and the members of `Handles` in the program that are such."""
WILD_ONLY = (
    "hipModule_t", "hipFunction_t", "hipTextureObject_t", "hipSurfaceObject_t", "hipExternalMemory_t",
    "hipExternalSemaphore_t", "hipMemGenericAllocationHandle_t", "hipCtx_t", "hipGraphicsResource_t", "hipLinkState_t",
)  # fmt: skip
"""Handles that the program does not make."""
SYNONYMS = {"hipArray*": "hipArray_t"}
_DEVICES = re.compile(r"device(Id|_id|Ordinal)?$|(peer|src|dst)Device(Id)?$", re.I)
_COUNTS = ("count", "numDependencies", "len")

# Parts of a launch in three calls, and a function whose overloads a null pointer does not tell apart.
_LEFT_OUT = {"hipConfigureCall", "hipSetupArgument", "hipLaunchByPtr", "hipOccupancyMaxPotentialBlockSize"}

_PROGRAM = r"""
#include <hip/hip_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#ifndef hipStreamLegacy  // before HIP 6.2
#define hipStreamLegacy nullptr
#endif

struct Handles {
  hipStream_t stream = nullptr;
  hipEvent_t event = nullptr;
  hipGraph_t graph = nullptr;
  hipGraphNode_t node = nullptr;
  hipGraphExec_t executable = nullptr;
  hipMemPool_t pool = nullptr;
  hipArray_t array = nullptr;
  hipMipmappedArray_t mipmaps = nullptr;
  hipUserObject_t object = nullptr;
};
static void nothing(void*) {}
static Handles make() {
  Handles all;
  (void)hipStreamCreate(&all.stream);
  (void)hipEventCreate(&all.event);
  (void)hipGraphCreate(&all.graph, 0);
  (void)hipGraphAddEmptyNode(&all.node, all.graph, nullptr, 0);
  (void)hipGraphInstantiate(&all.executable, all.graph, nullptr, nullptr, 0);
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  (void)hipMemPoolCreate(&all.pool, &properties);
  hipChannelFormatDesc channels{32, 0, 0, 0, hipChannelFormatKindFloat};
  (void)hipMallocArray(&all.array, &channels, 16, 16, 0);
  (void)hipMallocMipmappedArray(&all.mipmaps, &channels, hipExtent{16, 16, 0}, 2, 0);
  (void)hipUserObjectCreate(&all.object, nullptr, nothing, 1, hipUserObjectNoDestructorSync);
  return all;
}
static Handles destroyed() {
  Handles all = make();
  (void)hipStreamDestroy(all.stream);
  (void)hipEventDestroy(all.event);
  (void)hipGraphExecDestroy(all.executable);
  (void)hipGraphDestroy(all.graph);
  (void)hipMemPoolDestroy(all.pool);
  (void)hipFreeArray(all.array);
  (void)hipFreeMipmappedArray(all.mipmaps);
  (void)hipUserObjectRelease(all.object, 1);
  return all;
}
static Handles good, gone;
static void* memory = nullptr;
alignas(64) static unsigned char zeros[1 << 16];
template <typename T>
T zero() {
  return T{};
}
// A pointer to a place where all is 0.
template <typename T>
T place() {
  return reinterpret_cast<T>(zeros);
}
template <typename T>
T wild() {
  const size_t number = 0xffff;
  T made{};
  std::memcpy(&made, &number, sizeof made < sizeof number ? sizeof made : sizeof number);
  return made;
}

template <typename Call>
static void attempt(const char* what, Call call) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    std::memset(zeros, 0, sizeof zeros);
    std::printf("%s %d\n", what, int(call()));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("%s signal %d\n", what, WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0) std::printf("%s exit %d\n", what, WEXITSTATUS(status));
}

int main() {
  good = make();
  (void)hipMalloc(&memory, 1 << 20);
  gone = destroyed();
CALLS  return 0;
}
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its type, its name, and its type as HANDLES and SYNONYMS spell types."""

    declared: str
    name: str
    plain: str
    is_enum: bool = False

    @property
    def is_size(self) -> bool:
        """True for numbers of bytes or elements."""
        return self.plain == "size_t" and self.name not in _COUNTS

    @property
    def is_device(self) -> bool:
        """True for numbers of devices."""
        return self.plain in ("int", "hipDevice_t") and _DEVICES.match(self.name) is not None

    @property
    def is_pointer(self) -> bool:
        """Whether it is a pointer that no handle is."""
        return self.plain.endswith("*")

    def proper(self) -> str:
        """Return an expression for an argument that a function takes."""
        if self.plain in HANDLES:
            return f"good.{HANDLES[self.plain]}"
        if self.plain in ("void*", "hipDeviceptr_t"):
            return "memory"
        if self.is_pointer:
            return f"place<{self.declared}>()"
        if self.plain in ("size_t", "unsigned int", "unsigned", "int") and self.name in _COUNTS:
            return "1"
        if self.is_size:
            return "16"
        return f"zero<{self.declared}>()"

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Yield kinds of wrong arguments, and expressions for them."""
        if self.plain in HANDLES or self.plain in WILD_ONLY:
            yield "null", f"zero<{self.declared}>()"
            yield "wild", f"wild<{self.declared}>()"
        if self.plain == "hipStream_t":
            yield from (("legacy", "hipStreamLegacy"), ("thread", "hipStreamPerThread"))
        if self.plain in HANDLES:
            yield "destroyed", f"gone.{HANDLES[self.plain]}"
        if self.is_pointer:
            yield "null", f"zero<{self.declared}>()"
        if self.is_enum:
            yield "unknown", f"static_cast<{self.declared}>(9999)"
        if self.plain in ("unsigned", "unsigned int") and "lags" in self.name:
            yield "unknown", "0x555500u"
        if self.is_device:
            yield from (("beyond", "99"), ("negative", "-1"))
        if self.is_size:
            yield from (("zero", "0"), ("huge", "size_t(1) << 60"))


def declarations(header: str) -> Iterator[tuple[str, tuple[Parameter, ...]]]:
    """Yield the name and the parameters of each function in the text of a preprocessed header."""
    enums = frozenset(first or second for first, second in _ENUM.findall(header))
    for template, name, text in _DECLARED.findall(header):
        if not template and name not in _LEFT_OUT and not re.search(r"\.\.\.|[&<]", text):
            yield name, tuple(_parameters(text, enums))


def _parameters(text: str, enums: frozenset[str]) -> Iterator[Parameter]:
    for number, one in enumerate(text.split(",")):
        declared = " ".join(_DEFAULT.sub("", one).split())
        if declared in ("", "void"):
            continue
        found = re.match(r"(.*[\s*&])(\w+)(\[\])?$", declared)
        has_name = found is not None and found[2] not in ("int", "unsigned", "long", "char", "short")
        kind, name = (found[1].strip(), found[2]) if found and has_name else (declared, f"number{number}")
        plain = " ".join(_WORDS.sub("", kind).split()).replace(" *", "*")
        yield Parameter(kind, name, SYNONYMS.get(plain, plain), plain in enums)


def program(header: str) -> str:
    """Return the program for the functions that a preprocessed header declares."""
    lines = _PROGRAM.splitlines(keepends=True)
    if "hipUserObjectCreate" not in header:
        lines = [line for line in lines if "bject" not in line]
    return "".join(lines).replace("CALLS", "".join(f"  {line}\n" for line in _calls(header)))


def _calls(header: str) -> Iterator[str]:
    for name, parameters in sorted(dict(declarations(header)).items()):
        proper = [one.proper() for one in parameters]
        yield _call(name, "-", "proper", proper)
        for i, one in enumerate(parameters):
            for kind, expression in one.wrong():
                yield _call(name, str(i), kind, [*proper[:i], expression, *proper[i + 1 :]])


def _call(name: str, parameter: str, kind: str, arguments: list[str]) -> str:
    return f'attempt("{name} {parameter} {kind}", [] {{ return {name}({", ".join(arguments)}); }});'
