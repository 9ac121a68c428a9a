"""A tag of chat templates that Jinja does not know."""

from __future__ import annotations

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser


class GenerationTag(Extension):
    """`{% generation %}` marks for training what the assistant said; here it is as if it were not there."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """What is between the tags."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)
