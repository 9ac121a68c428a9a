"""Rules for configure.ac and m4 files of Autoconf; automake's Makefile.am is a Makefile."""

from hipport.buildfiles.autoconf import checks, compiler

RULES = (checks.run, compiler.run)
