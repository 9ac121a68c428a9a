"""Trace two programs launch by launch, up to the first one around which a buffer differs."""
