"""`briefkit mcp`: the MCP server, on standard input and output."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.errors import UsageError

from .exit_codes import YES

if TYPE_CHECKING:
    import argparse

    from .output import Output

_LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen."""
    parser.add_argument("--http", metavar="HOST:PORT", help="serve streamable HTTP there instead (loopback only)")


def run(options: argparse.Namespace, output: Output) -> int:
    """Serve until the client goes."""
    try:
        from briefkit.mcp_server import build_server
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the MCP server needs the package '{error.name}'", todo="pip install 'briefkit[mcp]'"
        ) from None
    server = build_server(os.path.abspath(options.repo))
    if options.http is None:
        server.run("stdio")
        return YES
    host, colon, port = options.http.rpartition(":")
    if not colon or not port.isdigit() or host not in _LOOPBACK:
        raise UsageError(f"'{options.http}' is not HOST:PORT on loopback")
    output.say(f"serving on {options.http}")
    server.run("streamable-http", host=host.strip("[]"), port=int(port))
    return YES
