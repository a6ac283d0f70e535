"""Two small projects with one installed library each, written as text: nothing is downloaded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SITE = ".venv/lib/python3.11/site-packages"
CLIENT = '''"""A client."""


class Client:
    """Speaks to a server."""

    def __init__(self, base: str) -> None:
        self.base = base

    def send_many(self, rows: list[str], *, chunk: int = 100) -> int:
        """Send many rows at once, in chunks."""
        return len(rows)

    def close(self) -> None:
        """Close the connection."""


def connect(base: str) -> Client:
    """Open a connection to a server."""
    return Client(base)
'''
PYTHON = {
    "pyproject.toml": '[project]\nname = "app"\nversion = "1"\ndependencies = ["courier"]\n',
    "requirements.txt": "courier==2.1.0\n",
    ".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.7\n",
    f"{SITE}/courier/__init__.py": '"""Courier."""\n\nfrom courier.client import Client, connect\n\n__all__ = ["Client", "connect"]\n',
    f"{SITE}/courier/client.py": CLIENT,
    f"{SITE}/courier-2.1.0.dist-info/METADATA": (
        "Metadata-Version: 2.1\nName: courier\nVersion: 2.1.0\n\n# Courier\n\nUse `connect` to dial a relay station over a tunnel.\n"
    ),
    f"{SITE}/courier-2.1.0.dist-info/RECORD": (
        "courier/__init__.py,,\ncourier/client.py,,\ncourier-2.1.0.dist-info/METADATA,,\ncourier-2.1.0.dist-info/RECORD,,\n"
    ),
    "app/outbox.py": (
        "from courier import Client\n\n\ndef post_all(client: Client, rows: list[str]) -> int:\n"
        '    """Send rows with our own chunk size."""\n    return client.send_many(rows, chunk=10)\n'
    ),
    "app/nightly.py": "from app.outbox import post_all\n\n\ndef nightly(client, rows):\n    return post_all(client, rows)\n",
}
NODE = {
    "package.json": json.dumps({"name": "app", "dependencies": {"parcel-post": "^3.0.0"}}),
    "package-lock.json": json.dumps(
        {
            "name": "app",
            "lockfileVersion": 3,
            "packages": {
                "": {"name": "app", "dependencies": {"parcel-post": "^3.0.0"}},
                "node_modules/parcel-post": {"version": "3.2.1", "integrity": "sha512-x"},
            },
        },
        indent=1,
    ),
    "node_modules/parcel-post/package.json": json.dumps(
        {"name": "parcel-post", "version": "3.2.1", "main": "index.js", "types": "index.d.ts"}
    ),
    "node_modules/parcel-post/index.js": (
        "class Box {\n  static packMany(items, options = {}) { return items.length; }\n  seal() { return true; }\n}\nexports.Box = Box;\n"
    ),
    "node_modules/parcel-post/index.d.ts": (
        "export declare class Box {\n  /** Pack many items into one box. */\n"
        "  static packMany(items: string[], options?: { tape?: boolean }): number;\n  seal(): boolean;\n}\n"
    ),
    "src/packing.ts": (
        'import { Box } from "parcel-post";\n\nexport function packOrders(items: string[]): number {\n  return Box.packMany(items, { tape: true });\n}\n'
    ),
    "src/job.ts": 'import { packOrders } from "./packing";\n\nexport const job = () => packOrders([]);\n',
}


def lay(root: Path, files: dict[str, str]) -> Path:
    """The project's files under a folder; the folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root
