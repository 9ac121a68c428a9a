"""Answers that match a grammar or JSON schema, with the package llguidance."""
