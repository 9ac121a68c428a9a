"""Plan and run builds: device objects per target, fat binaries, host objects, link."""
