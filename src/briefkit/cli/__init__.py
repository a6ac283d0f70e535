"""The command line: text and JSON in and out; no rule lives here."""
