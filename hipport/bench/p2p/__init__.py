"""Copies between all pairs of GPUs: measured, compared with the theoretical rates of the links, and plotted."""
