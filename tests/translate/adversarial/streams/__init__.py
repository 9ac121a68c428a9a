"""Programs of streams, events, graphs, and of the errors that wrong calls return."""

from tests.translate.adversarial.fields import Field
from tests.translate.adversarial.streams import errors, orders

FIELD = Field(
    "streams",
    orders.HEAD + errors.HEAD,
    ((orders.orders, 8), (orders.captures, 8), (orders.graphs, 8)),
    seeds=6,
    listed=errors.ERRORS,
)
