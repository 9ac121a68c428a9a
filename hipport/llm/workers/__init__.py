"""Processes for work on untrusted text, with limits on time and memory."""
