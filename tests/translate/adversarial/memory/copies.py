"""Copies and fills of memory by every function of CUDA, with a model of the bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.translate.adversarial.fields import Case, fnv

SIZE = 2048
"""Bytes of a buffer."""

HEAD = """\
#include <cuda.h>
__global__ void stir(uchar* bytes, int count, unsigned by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    bytes[i] = (uchar)(bytes[i] * 5 + by + i);
}
static void prepare(uchar* bytes, unsigned by) {
  for (unsigned i = 0; i < 2048; ++i) bytes[i] = (uchar)(i * by + (i >> 8));
}
static cudaMemcpy3DParms volume(uchar* to, size_t to_pitch, size_t to_rows, cudaPos to_at, uchar* from,
                                size_t from_pitch, size_t from_rows, cudaPos from_at, cudaExtent extent) {
  cudaMemcpy3DParms p = {};
  p.dstPtr = make_cudaPitchedPtr(to, to_pitch, to_pitch, to_rows);
  p.srcPtr = make_cudaPitchedPtr(from, from_pitch, from_pitch, from_rows);
  p.dstPos = to_at;
  p.srcPos = from_at;
  p.extent = extent;
  p.kind = cudaMemcpyDefault;
  return p;
}
"""

_HOST, _DEVICE = "Host", "Device"


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory of a case: its name, the statement that makes it, and its side; a symbol is not a pointer."""

    name: str
    made: str
    side: str
    symbol: str = ""

    @property
    def on_device(self) -> bool:
        return self.side == _DEVICE


@dataclass(frozen=True, slots=True)
class Region:
    """Rows of bytes of a buffer: slices of `rows` rows, `pitch` apart, of which `height` by `depth` are meant."""

    start: int
    pitch: int
    rows: int = 1

    def places(self, width: int, height: int = 1, depth: int = 1) -> list[int]:
        """Return the places of the bytes in order."""
        return [
            self.start + (z * self.rows + y) * self.pitch + x
            for z in range(depth)
            for y in range(height)
            for x in range(width)
        ]


class _Copies:
    """Writes the statements of a case and does the same with the bytes."""

    def __init__(self, choose: random.Random, buffers: Sequence[Buffer]):
        self.choose, self.buffers = choose, buffers
        self.factors = {buffer.name: choose.randrange(3, 255, 2) for buffer in buffers}
        self.bytes = {
            buffer.name: bytearray((i * self.factors[buffer.name] + (i >> 8)) % 256 for i in range(SIZE))
            for buffer in buffers
        }

    def one(self, of: Sequence[Buffer]) -> Buffer:
        return self.choose.choice(of)

    def pair(self) -> tuple[Buffer, Buffer]:
        """Return two buffers that are pointers."""
        to, from_ = self.choose.sample([buffer for buffer in self.buffers if not buffer.symbol], 2)
        return to, from_

    def kind(self, to: Buffer, from_: Buffer) -> str:
        return self.choose.choice((f"cudaMemcpy{from_.side}To{to.side}", "cudaMemcpyDefault"))

    def move(self, to: Buffer, places: Sequence[int], from_: Buffer, read: Sequence[int]) -> None:
        for at, value in zip(places, [self.bytes[from_.name][i] for i in read], strict=True):
            self.bytes[to.name][at] = value

    def fill(self, of: Buffer, places: Sequence[int], value: int, width: int = 1) -> None:
        for number, at in enumerate(places):
            self.bytes[of.name][at] = value >> 8 * (number % width) & 255

    def stream(self) -> tuple[str, str, str]:
        """Return "Async" or nothing, the further argument, and what waits for the copy."""
        where = self.choose.choice(("", "", "0", "stream", "cudaStreamPerThread"))
        return ("Async", f", {where}", f" put(cudaStreamSynchronize({where}));") if where else ("", "", "")

    def line(self) -> Iterator[str]:
        to, from_ = self.pair()
        count = self.choose.choice((0, 1, 3, 64, 255, 1000))
        a, b = (self.choose.randrange(SIZE - count) for _ in range(2))
        suffix, more, wait = self.stream()
        kind = self.kind(to, from_)
        yield f"put(cudaMemcpy{suffix}({to.name} + {a}, {from_.name} + {b}, {count}, {kind}{more}));{wait}"
        self.move(to, range(a, a + count), from_, range(b, b + count))

    def rows(self) -> Iterator[str]:
        to, from_ = self.pair()
        width, height = self.choose.choice((1, 4, 13, 40)), self.choose.choice((1, 2, 7, 20))
        a, b = (Region(self.choose.randrange(64), width + self.choose.choice((0, 1, 8, 50))) for _ in range(2))
        suffix, more, wait = self.stream()
        yield (
            f"put(cudaMemcpy2D{suffix}({to.name} + {a.start}, {a.pitch}, {from_.name} + {b.start}, {b.pitch}, "
            f"{width}, {height}, {self.kind(to, from_)}{more}));{wait}"
        )
        self.move(to, a.places(width, height), from_, b.places(width, height))

    def volume(self) -> Iterator[str]:
        to, from_ = self.pair()
        width, height, depth = extent = tuple(self.choose.choice((1, 2, 5, 9)) for _ in range(3))
        at = [tuple(self.choose.randrange(3) for _ in range(3)) for _ in range(2)]
        shapes = [(width + x + self.choose.choice((0, 2)), height + y + self.choose.choice((0, 1))) for x, y, _ in at]
        regions = [
            Region(x + y * pitch + z * pitch * rows, pitch, rows)
            for (x, y, z), (pitch, rows) in zip(at, shapes, strict=True)
        ]
        suffix, more, wait = self.stream()
        a, b = (f"{buffer.name}, {pitch}, {rows}, {{{x}u, {y}u, {z}u}}"
                for buffer, (pitch, rows), (x, y, z) in zip((to, from_), shapes, at, strict=True))  # fmt: skip
        size = ", ".join(map(str, extent))
        yield f"{{ const cudaMemcpy3DParms way = volume({a}, {b}, make_cudaExtent({size}));"
        yield f"  put(cudaMemcpy3D{suffix}(&way{more}));{wait} }}"
        self.move(to, regions[0].places(width, height, depth), from_, regions[1].places(width, height, depth))

    def peer(self) -> Iterator[str]:
        both = [buffer for buffer in self.buffers if buffer.on_device and not buffer.symbol]
        to, from_ = self.choose.sample(both, 2)
        count = self.choose.choice((1, 30, 512))
        a, b = (self.choose.randrange(SIZE - count) for _ in range(2))
        suffix, more, wait = self.stream()
        yield f"put(cudaMemcpyPeer{suffix}({to.name} + {a}, 0, {from_.name} + {b}, 0, {count}{more}));{wait}"
        self.move(to, range(a, a + count), from_, range(b, b + count))

    def symbol(self) -> Iterator[str]:
        symbol = self.one([buffer for buffer in self.buffers if buffer.symbol])
        other = self.one([buffer for buffer in self.buffers if not buffer.symbol])
        count = self.choose.choice((1, 17, 256, 700))
        a, b = (self.choose.randrange(SIZE - count) for _ in range(2))
        suffix, more, wait = self.stream()
        if self.choose.random() < 0.5:
            kind = self.kind(symbol, other)
            sides = f"{symbol.symbol}, {other.name} + {b}"
            yield f"put(cudaMemcpyToSymbol{suffix}({sides}, {count}, {a}, {kind}{more}));{wait}"
            self.move(symbol, range(a, a + count), other, range(b, b + count))
        else:
            kind = self.kind(other, symbol)
            sides = f"{other.name} + {b}, {symbol.symbol}"
            yield f"put(cudaMemcpyFromSymbol{suffix}({sides}, {count}, {a}, {kind}{more}));{wait}"
            self.move(other, range(b, b + count), symbol, range(a, a + count))

    def address(self) -> Iterator[str]:
        symbol = self.one([buffer for buffer in self.buffers if buffer.symbol])
        other = self.one([buffer for buffer in self.buffers if not buffer.symbol])
        a, count = self.choose.randrange(600), self.choose.choice((5, 80))
        yield f"{{ uchar* at = nullptr; size_t bytes = 0; put(cudaGetSymbolAddress((void**)&at, {symbol.symbol}));"
        yield f"  put(cudaGetSymbolSize(&bytes, {symbol.symbol})); put(bytes);"
        yield f"  put(cudaMemcpy({other.name}, at + {a}, {count}, cudaMemcpyDefault)); }}"
        self.move(other, range(count), symbol, range(a, a + count))

    def set(self) -> Iterator[str]:
        of = self.one([buffer for buffer in self.buffers if buffer.on_device and not buffer.symbol])
        value, suffix = self.choose.choice((0, 1, 0x80, 0xFF, 0x1A5, -3)), self.choose.choice(("", "Async"))
        more = ", stream" if suffix else ""
        wait = " put(cudaStreamSynchronize(stream));" if suffix else ""
        width, height, depth = self.choose.choice((1, 7, 40)), self.choose.choice((1, 3, 6)), self.choose.choice((1, 4))
        region = Region(self.choose.randrange(100), width + self.choose.choice((0, 5)), height + 1)
        at, pitch = f"{of.name} + {region.start}", region.pitch
        form = self.choose.randrange(3)
        if form == 0:
            yield f"put(cudaMemset{suffix}({at}, {value}, {width * height}{more}));{wait}"
            self.fill(of, range(region.start, region.start + width * height), value & 255)
        elif form == 1:
            yield f"put(cudaMemset2D{suffix}({at}, {pitch}, {value}, {width}, {height}{more}));{wait}"
            self.fill(of, region.places(width, height), value & 255)
        else:
            yield f"{{ const cudaPitchedPtr whole = make_cudaPitchedPtr({at}, {pitch}, {pitch}, {region.rows});"
            extent = f"make_cudaExtent({width}, {height}, {depth})"
            yield f"  put(cudaMemset3D{suffix}(whole, {value}, {extent}{more}));{wait} }}"
            self.fill(of, region.places(width, height, depth), value & 255)

    def driver_set(self) -> Iterator[str]:
        of = self.one([buffer for buffer in self.buffers if buffer.on_device and not buffer.symbol])
        size = self.choose.choice((1, 2, 4))
        value = self.choose.randrange(1 << 8 * size)
        count, start = self.choose.choice((1, 6, 50)), 4 * self.choose.randrange(100)
        suffix = self.choose.choice(("", "Async"))
        more, wait = (", stream", " put(cuStreamSynchronize(stream));") if suffix else ("", "")
        at = f"(CUdeviceptr)({of.name} + {start})"
        yield f"put(cuMemsetD{8 * size}{suffix}({at}, {value}u, {count}{more}));{wait}"
        self.fill(of, range(start, start + count * size), value, size)

    def driver(self) -> Iterator[str]:
        to, from_ = self.pair()
        count = self.choose.choice((1, 9, 300))
        a, b = (self.choose.randrange(SIZE - count) for _ in range(2))
        sides = f"{from_.side[0]}to{to.side[0]}"
        target = f"{to.name} + {a}" if to.side == _HOST else f"(CUdeviceptr)({to.name} + {a})"
        source = f"{from_.name} + {b}" if from_.side == _HOST else f"(CUdeviceptr)({from_.name} + {b})"
        general = sides == "HtoH" or self.choose.random() < 0.3
        name = "cuMemcpy" if general else f"cuMemcpy{sides}"
        if general:
            target, source = f"(CUdeviceptr)({to.name} + {a})", f"(CUdeviceptr)({from_.name} + {b})"
        suffix = self.choose.choice(("", "Async"))
        more, wait = (", stream", " put(cuStreamSynchronize(stream));") if suffix else ("", "")
        yield f"put({name}{suffix}({target}, {source}, {count}{more}));{wait}"
        self.move(to, range(a, a + count), from_, range(b, b + count))

    def driver_rows(self) -> Iterator[str]:
        to, from_ = self.pair()
        width, height = self.choose.choice((1, 4, 24)), self.choose.choice((1, 3, 8))
        at = [(self.choose.randrange(4), self.choose.randrange(3)) for _ in range(2)]
        pitches = [width + x + self.choose.choice((0, 4)) for x, _ in at]
        a, b = (Region(x + y * pitch, pitch) for (x, y), pitch in zip(at, pitches, strict=True))
        yield "{ CUDA_MEMCPY2D way = {};"
        for word, buffer, (x, y), pitch in zip(("dst", "src"), (to, from_), at, pitches, strict=True):
            kind = "unified" if self.choose.random() < 0.2 else buffer.side.lower()
            pointer = f"{word}Host = {buffer.name}" if kind == "host" else f"{word}Device = (CUdeviceptr){buffer.name}"
            yield f"  way.{word}MemoryType = CU_MEMORYTYPE_{kind.upper()}; way.{pointer};"
            yield f"  way.{word}Pitch = {pitch}; way.{word}XInBytes = {x}; way.{word}Y = {y};"
        yield f"  way.WidthInBytes = {width}; way.Height = {height};"
        call = self.choose.choice(("cuMemcpy2D(&way)", "cuMemcpy2DUnaligned(&way)", "cuMemcpy2DAsync(&way, stream)"))
        yield f"  put({call}); put(cuStreamSynchronize(stream)); }}"
        self.move(to, a.places(width, height), from_, b.places(width, height))

    def array(self) -> Iterator[str]:
        to, from_ = self.pair()
        width, height = self.choose.choice((4, 16)), self.choose.choice((2, 5))
        a, b = (Region(self.choose.randrange(40), width + self.choose.choice((0, 12))) for _ in range(2))
        yield "{ cudaArray_t array; const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar>();"
        yield f"  put(cudaMallocArray(&array, &bytes, {width + 3}, {height + 2}));"
        ways = (f"{from_.name} + {b.start}, {b.pitch}, {width}, {height}, {self.kind(Buffer('', '', _DEVICE), from_)}",
                f"{to.name} + {a.start}, {a.pitch}, array, 2, 1, {width}, {height}, "
                f"{self.kind(to, Buffer('', '', _DEVICE))}")  # fmt: skip
        yield f"  put(cudaMemcpy2DToArray(array, 2, 1, {ways[0]}));"
        yield f"  put(cudaMemcpy2DFromArray({ways[1]})); put(cudaFreeArray(array)); }}"
        self.move(to, a.places(width, height), from_, b.places(width, height))

    def stir(self) -> Iterator[str]:
        of = self.one([buffer for buffer in self.buffers if buffer.on_device and not buffer.symbol])
        count, by = self.choose.choice((64, 500, SIZE)), self.choose.randrange(256)
        yield f"stir<<<{self.choose.randint(1, 3)}, {self.choose.choice((32, 100))}>>>({of.name}, {count}, {by});"
        yield "put(cudaDeviceSynchronize());"
        data = self.bytes[of.name]
        data[:count] = bytes((value * 5 + by + i) % 256 for i, value in enumerate(data[:count]))

    def statements(self, count: int) -> Iterator[str]:
        kinds: Sequence[Callable[[], Iterator[str]]] = (
            self.line, self.line, self.rows, self.rows, self.volume, self.volume, self.peer, self.symbol, self.symbol,
            self.address, self.set, self.set, self.driver_set, self.driver, self.driver_rows, self.array, self.stir,
        )  # fmt: skip
        for kind in self.choose.sample(kinds, count):
            yield from kind()


def _buffers(choose: random.Random, number: int) -> list[Buffer]:
    """Return buffers of each kind, in any order."""
    pinned = choose.choice((
        "cudaMallocHost((void**)&p, 2048)", "cudaHostAlloc((void**)&p, 2048, cudaHostAllocDefault)",
        "cudaHostAlloc((void**)&p, 2048, cudaHostAllocPortable | cudaHostAllocMapped)",
        "cuMemAllocHost((void**)&p, 2048)",
    ))  # fmt: skip
    allocated = choose.choice(("cudaMalloc(&d, 2048)", "cuMemAlloc((CUdeviceptr*)&d, 2048)",
                               "cudaMallocAsync((void**)&d, 2048, stream)"))  # fmt: skip
    return [
        Buffer("h", "uchar* h = (uchar*)malloc(2048);", _HOST),
        Buffer("p", f"uchar* p; put({pinned});", _HOST),
        Buffer("d", f"uchar* d; put({allocated});", _DEVICE),
        Buffer("e", "uchar* e; put(cudaMalloc((void**)&e, 2048));", _DEVICE),
        Buffer("m", "uchar* m; put(cudaMallocManaged(&m, 2048));", _DEVICE),
        Buffer("g", "", _DEVICE, f"global{number}"),
        Buffer("c", "", _DEVICE, f"constants{number}"),
    ]


def copies(choose: random.Random, number: int) -> Case:
    """Return a case of some copies, after each of which the status is printed, and a hash of each buffer at the end."""
    buffers = _buffers(choose, number)
    work = _Copies(choose, buffers)
    lines = ["cudaStream_t stream; put(cudaStreamCreate(&stream));", "uchar* all = (uchar*)malloc(2048);"]
    for buffer in buffers:
        lines += [buffer.made, f"prepare(all, {work.factors[buffer.name]});"]
        to = f"cudaMemcpyToSymbol({buffer.symbol}, all, 2048)"
        lines.append(f"put({to if buffer.symbol else f'cudaMemcpy({buffer.name}, all, 2048, cudaMemcpyDefault)'});")
    lines += work.statements(choose.randint(6, 11))
    for buffer in buffers:
        whole = f"cudaMemcpyFromSymbol(all, {buffer.symbol}, 2048)" if buffer.symbol else ""
        lines.append(f"put({whole or f'cudaMemcpy(all, {buffer.name}, 2048, cudaMemcpyDefault)'}); hashed(all, 2048);")
    lines += ["cudaFree(d), cudaFree(e), cudaFree(m), cudaFreeHost(p), free(h), free(all), cudaStreamDestroy(stream);"]
    declared = f"__device__ uchar global{number}[2048];\n__constant__ uchar constants{number}[2048];"
    hashes = {buffer.name: fnv(bytes(work.bytes[buffer.name])) for buffer in buffers}
    statuses = "\n".join(lines).split("hashed(all")
    words: list[str] = []
    for part, buffer in zip(statuses, buffers, strict=False):
        words += [*_put(part), hashes[buffer.name]]
    return Case(lines, declared, " ".join((*words, "0")))


def _put(text: str) -> list[str]:
    """Return what the calls of `put` in a part of a program print: no error, or a symbol's size."""
    pieces = text.split("put(")[1:]
    return [f"{SIZE:x}" if piece.startswith("bytes)") else "0" for piece in pieces]
