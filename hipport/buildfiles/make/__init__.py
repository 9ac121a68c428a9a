"""Rules for Makefiles."""

from hipport.buildfiles import programs
from hipport.buildfiles.make import compiler, flags, host, linking, sources, undefined_values

RULES = (compiler.run, host.run, linking.run, flags.run, sources.run, programs.run, undefined_values.run)
