# /// script
# requires-python = ">=3.11"
# dependencies = ["click>=8,<9", "six"]
# ///
"""A script whose dependencies stand in itself."""

import click

click.echo("hello")
