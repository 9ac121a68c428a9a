"""What a run has found, for people and for programs. Renders text; printing it is the command line's."""
