"""Follows two programs launch by launch, to the first one around which a buffer differs."""
