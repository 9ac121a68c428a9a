"""Single kernels: each with a reference in double precision, versions that say what is new, checks and times."""
