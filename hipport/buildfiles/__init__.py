"""Translate build files (CMake, Makefiles, setup.py) along with their sources. Pure: bytes in, bytes out."""
