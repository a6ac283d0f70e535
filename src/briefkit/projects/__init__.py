"""A directory joined with its lockfiles and environments: what is pinned, what is installed, what proves it."""
