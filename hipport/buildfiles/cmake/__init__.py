"""Rules for CMakeLists.txt and *.cmake."""

from hipport.buildfiles.cmake import (
    architecture_variables,
    architectures,
    commands,
    compilers,
    downloads,
    expressions,
    features,
    flags,
    languages,
    library_variables,
    links,
    openmp,
    packages,
    properties,
    relocatable,
    sources,
    variables,
)

RULES = tuple(
    rule.run
    for rule in (
        packages,
        languages,
        architectures,
        architecture_variables,
        properties,
        relocatable,
        compilers,
        commands,
        downloads,
        features,
        links,
        library_variables,
        openmp,
        flags,
        expressions,
        variables,
        sources,
    )
)
"""Specific rules first: what one has changed, later ones leave alone."""
