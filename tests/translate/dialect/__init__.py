"""Generated members of the C++ that nvcc accepts, compared with the translation by clang and HIP's headers."""
