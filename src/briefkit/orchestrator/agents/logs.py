"""What is kept of an agent's run: the prompt, its whole output, its stderr."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..outcomes import Request
    from ..processes import Finished


def write_logs(request: Request, done: Finished) -> None:
    """Keep prompt, output and stderr of a run, where the request says; what cannot be written is not worth failing for."""
    if request.log_dir is None:
        return
    try:
        os.makedirs(request.log_dir, exist_ok=True)
        for name, text in (("prompt.md", request.prompt), ("stdout.txt", done.stdout), ("stderr.txt", done.stderr)):
            with open(os.path.join(request.log_dir, name), "w", encoding="utf-8", errors="replace") as handle:
                handle.write(text)
    except OSError:
        return
