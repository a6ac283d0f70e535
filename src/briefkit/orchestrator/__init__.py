"""Tasks, their states, the loop, and the agents that fill it."""
