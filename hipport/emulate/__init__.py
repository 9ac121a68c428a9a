"""Run the machine code of AMD GPUs on the processor: an emulator that stands in for HIP's runtime library.

`native/` holds the emulator in C++. `isa/` in it are the instruction tables, made by scripts/learn_instructions.py.
"""
