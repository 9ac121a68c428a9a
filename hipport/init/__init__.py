"""Draft a `hipport.toml` for a project, from its CMake files or its compilation database."""
