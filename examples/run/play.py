"""A whole run of the orchestrator with scripted agents: no key, no model, no network, under a minute.

It works on a copy of examples/py-app in a temporary folder, with a configuration and cache of its own.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
APP = HERE.parent / "py-app"
START = time.monotonic()


def main() -> int:
    if not (APP / ".venv").is_dir():
        print("examples/py-app has no .venv; 'make play' makes it", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        app = Path(folder) / "py-app"
        shutil.copytree(APP, app, ignore=shutil.ignore_patterns(".venv", "state", "__pycache__"))
        (app / ".venv").symlink_to(APP / ".venv")
        configuration = Path(folder) / "config" / "briefkit"
        configuration.mkdir(parents=True)
        argv = f'["{sys.executable}", "{HERE / "implementer.py"}"]'
        (configuration / "config.toml").write_text(f"[agents.scripted]\nargv = {argv}\n", encoding="utf-8")
        environment = {**os.environ, "XDG_CONFIG_HOME": str(configuration.parent), "BRIEFKIT_CACHE_DIR": f"{folder}/cache"}
        return play(app, environment)


def play(app: Path, environment: dict[str, str]) -> int:
    def briefkit(*arguments: str, codes: tuple[int, ...] = (0,)) -> None:
        print(f"\n\033[1m$ briefkit {' '.join(repr(one) if ' ' in one else one for one in arguments)}\033[0m", flush=True)
        done = subprocess.run(["briefkit", "-C", str(app), *arguments], env=environment, check=False)
        if done.returncode not in codes:
            sys.exit(f"exit code {done.returncode}, and {codes} was expected")

    add = ("task", "add")
    # 1 needs a brief; 2 names one file and no library, so nothing is researched; 3 is refined once and passes; 4 finds nothing to
    # build on; 5 gets a brief that its implementer does not believe; 6 passes only after healing, and waits for 1.
    briefkit(*add, "Read the rates with a GET request", "--id", "briefed", "--question", "How do we send a GET request with httpx?",
             "--question", "Does httpx.Client.fetch exist?", "--verify", "test -f done_briefed.txt")  # fmt: skip
    briefkit(*add, "Say in the notes what the app is for", "--id", "auto", "--file", "NOTES.md", "--verify", "test -f done_auto.txt")
    briefkit(*add, "Go out through the proxy", "--id", "refined", "--question", "How do we set a proxy with httpx?",
             "--verify", "test -f done_refined.txt")  # fmt: skip
    briefkit(*add, "Brew coffee", "--id", "hopeless", "--question", "How do we brew coffee with httpx?")
    briefkit(*add, "Ask the service", "--id", "disputed", "--question", "How do we send a GET request with httpx?")
    briefkit(*add, "Rates in euros", "--id", "healed", "--question", "Does httpx.Client.get exist?", "--depends", "briefed",
             "--verify", f"{sys.executable} -c 'import rates_eur; assert rates_eur.RATE, \"no rate\"'")  # fmt: skip
    briefkit("run", "--implementer", "scripted", codes=(3,))
    briefkit("status")
    briefkit("log", "refined")
    briefkit("gate", "hopeless", codes=(3,))
    briefkit("task", "resolve-dispute", "disputed", "--right", "implementer")
    briefkit("task", "list")
    briefkit("report")
    print(f"\nplayed in {time.monotonic() - START:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
