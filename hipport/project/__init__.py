"""Read and write source trees; no other package does. Input trees are untrusted."""
