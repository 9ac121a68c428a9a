"""Programs of memory: copies, fills, symbols, atomics, accesses, and layouts of structs."""

from tests.translate.adversarial.fields import Field
from tests.translate.adversarial.memory import accesses, atomics, copies, layouts

FIELD = Field(
    "memory",
    copies.HEAD + atomics.HEAD + accesses.HEAD + layouts.HEAD,
    (
        (copies.copies, 12), (atomics.functions, 12), (atomics.references, 8), (atomics.sums, 4), (atomics.swaps, 4),
        (accesses.accesses, 12), (layouts.layouts, 12),
    ),
    seeds=10,
    options=("-lcuda",),
)  # fmt: skip
