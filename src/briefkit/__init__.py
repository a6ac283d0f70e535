"""briefkit: what a repo's pinned libraries really offer, with proof.

The public names, loaded on first use: importing briefkit costs next to nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .briefs.brief import Brief
    from .briefs.gate import Gate
    from .briefs.index import open_index
    from .briefs.markdown import parse_brief, render_brief
    from .errors import (
        AgentError,
        AmbiguousNameError,
        BriefkitError,
        CapReachedError,
        IndexUnavailableError,
        Place,
        UnknownFormatError,
        UnknownImporterError,
        UnreadableError,
        UsageError,
    )
    from .facade import Repo, open_repo
    from .lockfiles.files import read_lockfile

__version__ = "0.1.0"

_HOMES = {
    "AgentError": "errors",
    "AmbiguousNameError": "errors",
    "Brief": "briefs.brief",
    "BriefkitError": "errors",
    "CapReachedError": "errors",
    "Gate": "briefs.gate",
    "IndexUnavailableError": "errors",
    "Place": "errors",
    "Repo": "facade",
    "UnknownFormatError": "errors",
    "UnknownImporterError": "errors",
    "UnreadableError": "errors",
    "UsageError": "errors",
    "open_index": "briefs.index",
    "open_repo": "facade",
    "parse_brief": "briefs.markdown",
    "read_lockfile": "lockfiles.files",
    "render_brief": "briefs.markdown",
}

__all__ = [
    "AgentError",
    "AmbiguousNameError",
    "Brief",
    "BriefkitError",
    "CapReachedError",
    "Gate",
    "IndexUnavailableError",
    "Place",
    "Repo",
    "UnknownFormatError",
    "UnknownImporterError",
    "UnreadableError",
    "UsageError",
    "__version__",
    "open_index",
    "open_repo",
    "parse_brief",
    "read_lockfile",
    "render_brief",
]


def __getattr__(name: str) -> object:
    """A public name, from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'briefkit' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(f"briefkit.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return __all__
