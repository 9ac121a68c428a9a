"""Rules for Bazel's BUILD, WORKSPACE, MODULE.bazel and *.bzl. What is about CUDA is reported."""

from hipport.buildfiles.bazel import rules

RULES = (rules.run,)
