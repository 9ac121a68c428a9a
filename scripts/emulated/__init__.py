"""Run the project's programs as machine code of each target, on the emulator."""
