"""Settings: each value, and where it came from.

Strongest first: flag, `BRIEFKIT_*`, the repo's `briefkit.toml` or `[tool.briefkit]`, the user's own file, default. A repo is not
trusted: its files set thresholds and paths inside it; a key that reaches out, or names a program, is refused there and said.
"""

from __future__ import annotations

import os
import sys

from briefkit.records import TYPE_CHECKING, NamedTuple

from .errors import BriefkitError, Place, UsageError
from .paths import is_within, read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SETTINGS_LIMIT = 1 << 20
REPO = "repo"
USER = "user"


class Key(NamedTuple):
    """One setting: its name, type, default, environment variable, and who may set it (`REPO`: an untrusted repo too)."""

    name: str
    kind: type
    default: Any
    environment: str
    settable: str
    what: str


KEYS = (
    Key("min_confidence", float, 0.6, "BRIEFKIT_MIN_CONFIDENCE", REPO, "the gate opens at or over it (0 to 1)"),
    Key("ttl_days", float, 7.0, "BRIEFKIT_TTL_DAYS", REPO, "days after verification at which an answer ends"),
    Key("max_tokens", int, 1500, "BRIEFKIT_MAX_TOKENS", REPO, "tokens that a printed brief may take"),
    Key("state_dir", str, "state", "BRIEFKIT_STATE_DIR", REPO, "where tasks and briefs lie, inside the repo"),
    Key("index", str, "", "BRIEFKIT_INDEX", USER, "URL of the brief index (default: sqlite in the cache directory)"),
    Key("namespace", str, "local", "BRIEFKIT_NAMESPACE", USER, "trust domain of the index"),
    Key("cache_dir", str, "", "BRIEFKIT_CACHE_DIR", USER, "where caches and the default index lie"),
    Key("python", str, "", "BRIEFKIT_PYTHON", USER, "environment folder to read instead of the one that is found"),
    Key("researcher", str, "source", "BRIEFKIT_RESEARCHER", USER, "who researches: source, or an agent by name"),
    Key("implementer", str, "", "BRIEFKIT_IMPLEMENTER", USER, "the agent that implements, by name"),
    Key(
        "verify_timeout_s",
        float,
        600.0,
        "BRIEFKIT_VERIFY_TIMEOUT_S",
        REPO,
        "seconds a task's own verify command may take",
    ),
    Key("agent_timeout_s", float, 900.0, "BRIEFKIT_AGENT_TIMEOUT_S", USER, "seconds one agent step may take"),
    Key("max_turns", int, 40, "BRIEFKIT_MAX_TURNS", USER, "turns one agent step may take"),
    Key("max_cost", float, 2.0, "BRIEFKIT_MAX_COST", USER, "US dollars that one run may spend on agents"),
)
_BY_NAME = {key.name: key for key in KEYS}
_SHARES = {"min_confidence"}
_POSITIVE = {"ttl_days", "max_tokens", "verify_timeout_s", "agent_timeout_s", "max_turns", "max_cost"}


class Value(NamedTuple):
    """One setting's value and its origin: `flag`, `environment NAME`, a file with its line's path, or `default`."""

    value: Any
    origin: str


class Settings:
    """All settings of one run; `values` by name, `agents` from the user's own file, `ignored` what a repo may not set."""

    __slots__ = ("agents", "ignored", "values")

    def __init__(self, values: dict[str, Value], agents: dict[str, dict[str, Any]], ignored: tuple[str, ...]) -> None:
        self.values = values
        self.agents = agents
        self.ignored = ignored

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a setting is of its key's own type
        """The value of one setting.

        Raises:
            KeyError: There is no such setting.

        """
        return self.values[name].value

    def to_dict(self) -> dict[str, Any]:
        """Each setting with value and origin, and what was ignored."""
        return {
            "settings": {name: {"value": value.value, "origin": value.origin} for name, value in self.values.items()},
            "agents": {name: {"argv": agent["argv"]} for name, agent in self.agents.items()},
            "ignored": list(self.ignored),
        }


def load_settings(
    directory: str, *, flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """The settings that hold for a repo's root.

    Raises:
        BriefkitError: A file is not TOML, or a value is of the wrong type or range; the place is named.

    """
    environ = os.environ if environ is None else environ
    values = {key.name: Value(key.default, "default") for key in KEYS}
    ignored: list[str] = []
    user_path = os.path.join(config_directory(environ), "config.toml")
    user = _table_of(user_path, ())
    agents = _agents_of(user.pop("agents", {}), user_path)
    _apply(values, user, user_path)
    for path, table in _repo_tables(directory):
        shown = os.path.basename(path)
        table.pop("check", None)
        for name in [
            name for name in table if (name in _BY_NAME and _BY_NAME[name].settable == USER) or name == "agents"
        ]:
            ignored.append(f"{shown}: '{name}' is not a repo's to set; it comes from flag, environment or {user_path}")
            del table[name]
        _apply(values, table, shown)
    for key in KEYS:
        if text := environ.get(key.environment):
            values[key.name] = Value(_typed(key, text, key.environment), f"environment {key.environment}")
    for name, value in (flags or {}).items():
        if value is not None:
            values[name] = Value(_typed(_BY_NAME[name], value, f"--{name.replace('_', '-')}"), "flag")
    _check_state_dir(values["state_dir"], directory)
    return Settings(values, agents, tuple(ignored))


def config_directory(environ: Mapping[str, str]) -> str:
    """The folder of the user's own configuration: `$XDG_CONFIG_HOME/briefkit`, else `~/.config/briefkit`."""
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "briefkit")


def cache_directory(settings: Settings | None = None, environ: Mapping[str, str] | None = None) -> str:
    """The folder of caches: `BRIEFKIT_CACHE_DIR`, else the platform's user cache directory (not made here)."""
    environ = os.environ if environ is None else environ
    chosen = settings["cache_dir"] if settings is not None else environ.get("BRIEFKIT_CACHE_DIR", "")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    elif os.name == "nt":
        base = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    else:
        base = environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "briefkit")


def _repo_tables(directory: str) -> list[tuple[str, dict[str, Any]]]:
    """The repo's own settings, weaker file first."""
    found = []
    pyproject = os.path.join(directory, "pyproject.toml")
    if os.path.isfile(pyproject) and b"tool.briefkit" in read_bytes(pyproject):
        found.append((pyproject, _table_of(pyproject, ("tool", "briefkit"))))
    own = os.path.join(directory, "briefkit.toml")
    if os.path.isfile(own):
        found.append((own, _table_of(own, ())))
    return found


def _table_of(path: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """One table of a TOML file; empty where the file is not there."""
    if not os.path.lexists(path):
        return {}
    text = read_text(path, _SETTINGS_LIMIT)
    import tomli

    try:
        table: Any = tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError) as error:
        raise BriefkitError(f"not TOML: {error}", place=Place(path, getattr(error, "lineno", None))) from None
    for key in keys:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise BriefkitError("not a table", place=Place(path, key=".".join(keys)))
    return dict(table)


def _agents_of(table: object, path: str) -> dict[str, dict[str, Any]]:
    """The user's agents, each with its `argv`."""
    if not isinstance(table, dict):
        raise BriefkitError("not a table", place=Place(path, key="agents"))
    agents = {}
    for name, agent in table.items():
        argv = agent.get("argv") if isinstance(agent, dict) else None
        if not (isinstance(argv, list) and argv and all(isinstance(part, str) for part in argv)):
            raise BriefkitError("an agent needs argv, a list of strings", place=Place(path, key=f"agents.{name}"))
        agents[str(name)] = dict(agent)
    return agents


def _apply(values: dict[str, Value], table: dict[str, Any], path: str) -> None:
    for name, value in table.items():
        key = _BY_NAME.get(name)
        if key is None:
            raise UsageError(f"no such setting. Known: {', '.join(_BY_NAME)}", place=Place(path, key=name))
        values[name] = Value(_typed(key, value, path), path)


def _typed(key: Key, value: object, where: str) -> Any:  # noqa: ANN401 - of the key's own type
    """The value as the key's type, range checked."""
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError
        typed = key.kind(value)
    except ValueError:
        raise UsageError(f"'{value}' is not {_kind_words(key.kind)}", place=Place(where, key=key.name)) from None
    if key.name in _SHARES and not 0 <= typed <= 1:
        raise UsageError(f"{typed} is not between 0 and 1", place=Place(where, key=key.name))
    # A cap without an end is none: infinity and what is no number are refused with nothing and less than nothing.
    if key.name in _POSITIVE and not 0 < typed < float("inf"):
        raise UsageError(f"{typed} is not over 0", place=Place(where, key=key.name))
    return typed


def _kind_words(kind: type) -> str:
    return {float: "a number", int: "a whole number"}.get(kind, "a text")


def _check_state_dir(value: Value, directory: str) -> None:
    """The state folder lies inside the repo: a repo must not send writes elsewhere."""
    if "\0" in value.value or ".git" in value.value.replace("\\", "/").casefold().split("/"):
        raise UsageError("not a folder for tasks and briefs", place=Place(value.origin, key="state_dir"))
    target = os.path.normpath(os.path.join(directory, value.value))
    root = os.path.normpath(directory)
    inside = is_within(os.path.realpath(target), os.path.realpath(root)) and is_within(target, root)
    if target == root or not inside:
        raise UsageError("not a folder inside the repo", place=Place(value.origin, key="state_dir"))
