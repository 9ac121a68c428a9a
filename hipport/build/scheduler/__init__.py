"""Builds on several machines: the steps of a plan as tasks for an engine that a site has, on a shared file system.

On the machine that builds: `site` says what all have to agree on, `graph` what is to be done in which order, `engine`
hands it to a `Pool` and sees to the results. On the others: `check` compares, `perform` makes one output, `record` says
what it was made of.
"""
