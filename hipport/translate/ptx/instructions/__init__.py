"""Rules grouped by kind of instruction; every module here has `RULES`."""
