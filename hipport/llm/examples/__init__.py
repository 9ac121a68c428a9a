"""Models built from the tile operators: BERT and ViT."""
