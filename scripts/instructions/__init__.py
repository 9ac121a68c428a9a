"""Single instructions of AMD GPUs: their encodings, what the emulator does with them, and what an oracle says."""
