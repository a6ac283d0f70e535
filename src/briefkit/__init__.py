"""briefkit: what a repo's pinned libraries really offer, with proof."""
