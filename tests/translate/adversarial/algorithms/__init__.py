"""Programs of Thrust's and CUB's algorithms for a whole device."""

from tests.cpu.test_device_libraries import FOLDER
from tests.translate.adversarial.algorithms import cub, thrust
from tests.translate.adversarial.fields import Field

FIELD = Field(
    "algorithms",
    thrust.HEAD + thrust.MACROS + cub.HEAD,
    ((thrust.thrust, 4), (cub.cub, 3)),
    seeds=8,
    # rocPRIM's sources are of an older Clang.
    options=("-I", FOLDER, "--", "-Wno-missing-template-arg-list-after-template-kw"),
)
