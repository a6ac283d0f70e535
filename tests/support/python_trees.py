"""Python environments for tests, laid as files: a virtual environment with distributions whose RECORD is true."""

from __future__ import annotations

import base64
import hashlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def lay_environment(folder: Path, python: str = f"{VERSION}.0") -> Path:
    """An empty virtual environment in a folder; returns its site-packages."""
    minor = ".".join(python.split(".")[:2])
    site = folder / "lib" / f"python{minor}" / "site-packages"
    site.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(
        f"home = /usr/bin\nversion = {python}\ninclude-system-site-packages = false\n", encoding="utf-8"
    )
    (folder / "bin").mkdir()
    (folder / "bin" / "python").write_text("", encoding="utf-8")
    return site


def lay_distribution(
    site: Path, name: str, version: str, modules: dict[str, str] | None = None, installer: str = "pip"
) -> None:
    """A distribution in a site-packages: `modules` maps a path to its text (by default one package of the name)."""
    modules = {f"{name.lower().replace('-', '_')}/__init__.py": ""} if modules is None else modules
    metadata = f"{name.replace('-', '_')}-{version}.dist-info"
    files = {
        **modules,
        f"{metadata}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nAbout {name}.\n",
        f"{metadata}/INSTALLER": f"{installer}\n",
    }
    rows = []
    for path, text in files.items():
        place = site / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}")
    record = f"{metadata}/RECORD"
    (site / record).write_text("\n".join([*rows, f"{record},,"]) + "\n", encoding="utf-8")
