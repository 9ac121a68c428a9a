"""Builds on several machines: the steps of a plan become tasks for a site's scheduler, on a shared file system.

On the build machine, `site` describes what all machines must agree on, `graph` orders the steps, and `engine` submits
them to a `Pool` and checks the results. On the workers, `check` compares the machine with the site, `perform` makes
one output, and `record` stores what it was made from.
"""
