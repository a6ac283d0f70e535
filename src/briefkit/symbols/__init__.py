"""Installed source read into symbols, and the three answers."""
