"""CMakeLists.txt and *.cmake."""

from hipport.buildfiles.cmake import (
    architectures,
    commands,
    expressions,
    flags,
    languages,
    links,
    packages,
    properties,
    sources,
    variables,
)

RULES = tuple(
    rule.run
    for rule in (
        packages,
        languages,
        architectures,
        properties,
        commands,
        links,
        flags,
        expressions,
        variables,
        sources,
    )
)
"""The more particular first: what one has changed, those after it leave alone."""
