"""What names refer to, asked of libclang: `--semantic`. Nothing else in hipport needs libclang."""
