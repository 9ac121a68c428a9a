"""Rules for Makefiles."""

from hipport.buildfiles.make import compiler, flags, linking, sources

RULES = (compiler.run, linking.run, flags.run, sources.run)
