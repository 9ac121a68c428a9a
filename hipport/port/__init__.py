"""Port a tree in one step: translate it, build the translation with its own build system, and say what is left."""
