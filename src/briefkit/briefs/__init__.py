"""The brief: its model, Markdown, evidence, gate and index."""
