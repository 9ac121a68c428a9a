"""Builds for the CPU: HIP rewritten as standard C++ and compiled against `hipport/include/cpu/`."""
