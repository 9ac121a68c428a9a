"""Source trees: the only part that reads and writes them. Input trees are untrusted."""
