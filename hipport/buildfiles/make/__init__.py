"""Rules for Makefiles."""

from hipport.buildfiles import programs
from hipport.buildfiles.make import compiler, flags, host, linking, sources

RULES = (compiler.run, host.run, linking.run, flags.run, sources.run, programs.run)
