"""Rules for shell scripts. What is about CUDA is reported."""

from hipport.buildfiles import programs

RULES = (programs.run_on_script,)
