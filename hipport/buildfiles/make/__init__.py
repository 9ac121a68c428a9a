"""Rules for Makefiles."""

from hipport.buildfiles.make import compiler, flags, sources

RULES = (compiler.run, flags.run, sources.run)
