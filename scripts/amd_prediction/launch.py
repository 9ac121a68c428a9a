"""Launch a kernel of the harness once, in the emulator: python -m scripts.amd_prediction.launch TARGET KERNEL SIZES.

SIZES is a JSON object. The parent process watches with a tool of the emulator (`observe.py`).
"""

from __future__ import annotations

import json
import sys

import numpy as np

from hipport.builds.shipped import Target
from hipport.llm.harness.binding import Arguments, Device, Memory, open_device
from hipport.llm.harness.kernel import Output, kernels
from hipport.llm.weights.tensors import Array
from hipport.toolchain.places import Surroundings


def main() -> None:
    """Launch the newest version of a kernel with its largest blocks."""
    target, name, sizes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    device = open_device(Target("amd", (target,)), Surroundings(), lambda text: None)
    call = kernels()[name].make(np.random.default_rng(0), sizes)
    version = device.last(name)
    memories = [None if buffer is None else _memory(device, buffer) for buffer in call.buffers]
    addresses = [None if memory is None else memory.address for memory in memories]
    device.launch(version, version.blocks[-1], Arguments(call.sizes, addresses, call.numbers))
    for memory, buffer in zip(memories, call.buffers, strict=True):
        if memory is not None and isinstance(buffer, Output):
            memory.read(buffer.shape, buffer.dtype)


def _memory(device: Device, buffer: Array | Output) -> Memory:
    values = buffer.poisoned() if isinstance(buffer, Output) else buffer
    memory = Memory(device, values.nbytes)
    memory.write(values)
    return memory


if __name__ == "__main__":
    main()
