"""Rules for CMakeLists.txt and *.cmake."""

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
"""Specific rules first: what one has changed, later ones leave alone."""
