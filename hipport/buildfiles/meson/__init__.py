"""Rules for meson.build. Meson has no language HIP: what is about CUDA is reported."""

from hipport.buildfiles.meson import rules

RULES = (rules.run,)
