"""One reader a format, and the table of formats."""
