"""Rules by group of instructions; every module here has `RULES`."""
