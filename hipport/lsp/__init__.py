"""The language server: findings, quick fixes and the tables in editors (Language Server Protocol 3.17)."""
