"""Programs of Thrust's and CUB's algorithms for a whole device."""

from tests.cpu.test_device_libraries import FOLDER
from tests.translate.adversarial.algorithms import thrust
from tests.translate.adversarial.fields import Field

FIELD = Field(
    "algorithms",
    thrust.HEAD + thrust.MACROS,
    ((thrust.thrust, 6),),
    seeds=8,
    # rocPRIM's sources are of an older Clang.
    options=("-I", FOLDER, "--", "-Wno-missing-template-arg-list-after-template-kw"),
)
