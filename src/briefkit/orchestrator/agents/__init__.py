"""Adapters of the agent port: any program, and one with a stream of its own."""
