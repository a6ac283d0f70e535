"""The source researcher: a question becomes a cited brief, without a model."""
