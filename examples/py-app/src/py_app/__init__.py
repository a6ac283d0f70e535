"""A small application that reads JSON from unreliable services."""
