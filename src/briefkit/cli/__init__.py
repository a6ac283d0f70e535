"""The command line: text and JSON in and out; no rule lives here."""


def main() -> int:
    """Run the command line; the exit code."""
    return 0
