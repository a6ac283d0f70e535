"""A task's file, `state/tasks/ID.md`: front matter of `key: JSON` lines, the task's text, and the place for disagreement.

The implementer writes its disagreement under `## Disagreement`; anything there stops the task as disputed. The front matter is
YAML that needs no YAML reader: each value is JSON.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.briefs.brief import checked_task_id
from briefkit.errors import Place, UnreadableError
from briefkit.paths import read_text, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZE_LIMIT = 1 << 20
DISAGREEMENT = "## Disagreement"
_HINT = "<!-- Believe the brief is wrong? Write why below this line, and stop. -->"
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_LINE = re.compile(r"([a-z_]+):\s*(.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LISTS = ("questions", "files", "libraries", "depends")


class Task(NamedTuple):
    """What a task's file says: what is to be done, what must be known first, and how it is proved done.

    `verify` is a shell command of the user's own, None where there is none; `files` are the files that the task names; `depends`
    are tasks that must be done before.
    """

    id: str
    title: str
    questions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    verify: str | None = None
    depends: tuple[str, ...] = ()
    text: str = ""
    disagreement: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The task as `task show` prints it."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in self._asdict().items()}


def task_path(state_dir: str, task: str) -> str:
    """Where a task's file lies.

    Raises:
        UsageError: The text is no task id.

    """
    return os.path.join(state_dir, "tasks", checked_task_id(task) + ".md")


def render_task(task: Task) -> str:
    """The file of a task."""
    front: Mapping[str, Any] = {
        "id": task.id,
        "title": task.title,
        "questions": task.questions,
        "files": task.files,
        "libraries": task.libraries,
        "verify": task.verify,
        "depends": task.depends,
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()]
    text = f"\n{task.text}\n" if task.text else ""
    disagreement = f"{task.disagreement}\n" if task.disagreement else ""
    return "\n".join(["---", *lines, "---", "", f"# {task.title}", text, DISAGREEMENT, _HINT, disagreement])


def parse_task(text: str, path: str) -> Task:
    """The task that a file says.

    Raises:
        UnreadableError: The front matter is missing, or a line of it is not `key: JSON` of the right type.

    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT.match(text)
    if front is None:
        raise UnreadableError(
            "no front matter", place=Place(path, 1), todo="A task begins with --- and ends its head with ---."
        )
    fields: dict[str, Any] = {}
    for number, line in enumerate(front.group(1).split("\n"), 2):
        found = _LINE.fullmatch(line)
        if found is None:
            raise UnreadableError("not a 'key: value' line", place=Place(path, number))
        try:
            fields[found.group(1)] = json.loads(found.group(2))
        except (ValueError, RecursionError):
            raise UnreadableError("the value is not JSON", place=Place(path, number, found.group(1))) from None
    _check(fields, path)
    body = text[front.end() :]
    before, mark, after = body.partition(f"\n{DISAGREEMENT}")
    title = f"# {fields['title']}"
    questions, files, libraries, depends = (tuple(fields.get(key, ())) for key in _LISTS)
    return Task(
        checked_task_id(fields["id"]),
        fields["title"],
        questions,
        files,
        libraries,
        fields.get("verify"),
        depends,
        before.strip().removeprefix(title).strip(),
        _COMMENT.sub("", after).strip() if mark else "",
    )


def read_task(state_dir: str, task: str) -> Task:
    """The task of an id.

    Raises:
        UnreadableError: There is no such file, or it is no task.

    """
    path = task_path(state_dir, task)
    shown = os.path.join(os.path.basename(state_dir), "tasks", f"{task}.md")
    found = parse_task(read_text(path, SIZE_LIMIT, shown), shown)
    if found.id != task:
        raise UnreadableError(f"the id is '{found.id}', and the file's name says '{task}'", place=Place(shown, 2, "id"))
    return found


def write_task(state_dir: str, task: Task) -> str:
    """Write a task's file, whole or not at all; its path.

    Raises:
        BriefkitError: The state folder cannot be written.

    """
    path = task_path(state_dir, task.id)
    write_whole(path, render_task(task))
    return path


def _check(fields: Mapping[str, Any], path: str) -> None:
    for key in ("id", "title"):
        if not isinstance(fields.get(key), str) or not fields[key]:
            raise UnreadableError("a text is needed", place=Place(path, None, key))
    for key in _LISTS:
        value = fields.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise UnreadableError("a list of texts is needed", place=Place(path, None, key))
    if not isinstance(fields.get("verify"), str | None):
        raise UnreadableError("a command or null is needed", place=Place(path, None, "verify"))
