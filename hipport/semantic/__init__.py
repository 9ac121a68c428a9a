"""Ask libclang what names refer to, for `--semantic`. Nothing else in hipport needs libclang."""
