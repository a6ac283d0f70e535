"""`briefkit resolve [NAME …]`: which version, and why."""

from __future__ import annotations

from briefkit.facade import open_repo
from briefkit.records import TYPE_CHECKING

from .arguments import add_library_options
from .exit_codes import NO, UNKNOWN, YES

if TYPE_CHECKING:
    import argparse

    from briefkit.projects.resolution import Resolution

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The names, `--all`, and whom to answer for."""
    parser.add_argument("names", metavar="NAME", nargs="*", help="a distribution, import name, alias or sub-path")
    parser.add_argument("--all", action="store_true", help="everything locked or installed, not just what is direct")
    add_library_options(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    """Print the resolutions; exit 1 where a name is neither locked nor installed, 3 where lockfiles conflict."""
    repo = open_repo(options.repo)
    missing: list[str] = []
    resolutions: list[Resolution] = []
    for name in options.names:
        found = repo.resolve(name, options.importer, ecosystem=options.ecosystem)
        resolutions.extend(found)
        if not found:
            missing.append(name)
    if not options.names:
        everything = repo.resolutions(options.importer, everything=options.all)
        resolutions = [one for one in everything if options.ecosystem in (None, one.ecosystem)]
    if output.json:
        output.data(repo.resolve_dict(resolutions, options.importer))
    else:
        for one in resolutions:
            _print(one, output)
        for skipped in repo.project.skipped:
            output.say(f"skipped: {skipped.name}: {skipped.reason}")
    for name in missing:
        output.say(f"{name}: neither locked nor installed for {options.importer or 'this directory'}")
    if missing:
        return NO
    return UNKNOWN if any(one.state == "conflicted" for one in resolutions) else YES


def _print(one: Resolution, output: Output) -> None:
    """One resolution: the version and state, then what proves it, then what else there is."""
    alias = f" (as {one.alias})" if one.alias else ""
    output.styled_line(f"{one.name}{alias} {one.version or '?'}  {one.ecosystem}, {_state_words(one)}", "bold")
    output.line(f"  proof: {_at(one.decided_by.file, one.decided_by.line)}: {one.decided_by.rule}")
    if one.state == "disagree" and one.locked_by is not None:
        output.line(
            f"  locked {one.locked_version}: {_at(one.locked_by.file, one.locked_by.line)}: {one.locked_by.rule}"
        )
    if one.requirement:
        output.line(f"  asked for: {one.requirement} ({', '.join(one.groups) or 'no group'}) by {one.importer}")
    for other in one.other_versions:
        output.line(f"  also {other.version}: used by {', '.join(other.used_by) or 'nobody known'}")
    for note in one.notes:
        output.line(f"  note: {note}")


def _at(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file


def _state_words(one: Resolution) -> str:
    words = {
        "agree": "locked and installed agree",
        "disagree": f"locked {one.locked_version}, installed {one.installed_version}",
        "not-installed": "locked, not installed",
        "not-locked": "installed, not locked",
        "not-for-this-platform": "locked, not for this platform",
        "conflicted": "conflicted",
    }
    return words.get(one.state, one.state)
