"""Statistics of the kernels' AMD GPU code: the table of docs/amd-code.md, and the rules it is checked against."""
