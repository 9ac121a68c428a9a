"""Builds for the CPU: HIP made standard C++, compiled against `hipport/include/cpu/`."""
