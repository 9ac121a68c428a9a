"""Build files: CMake, Makefiles and setup.py follow their sources to HIP. Pure: bytes in, bytes out."""
