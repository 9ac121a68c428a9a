"""Single kernels, each with a double-precision reference, versions with a note on what is new, checks and timings."""
