"""Models that are put together from the tile operators: BERT and ViT."""
