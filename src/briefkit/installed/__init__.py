"""Installed packages, found and read as files; nothing is executed."""
