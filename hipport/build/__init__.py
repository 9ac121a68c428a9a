"""Plans and runs builds: device objects per target, fat binaries, host objects, link."""
