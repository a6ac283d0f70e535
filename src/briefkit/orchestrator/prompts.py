"""What agents are told. The implementer's prompt is fixed by contract: the brief verbatim, one sentence, the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .task_file import Task

SOURCE_OF_TRUTH = (
    "The brief above is the source of truth for library APIs and existing helpers. If you believe it is wrong, stop and write why "
    "to the task file. Do not work around it."
)
FAILURE_LIMIT = 6000


def implementer_prompt(brief: str, task: Task, task_path: str) -> str:
    """The brief as its file holds it, the contract's sentence, then the task and where its file lies."""
    return f"{brief}\n{SOURCE_OF_TRUTH}\n\n{task_words(task, task_path)}"


def healing_prompt(brief: str, task: Task, task_path: str, failure: str) -> str:
    """The implementer's prompt, and what the task's own verify command said: the end of it, where it was long."""
    shown = failure if len(failure) <= FAILURE_LIMIT else "…" + failure[-FAILURE_LIMIT:]
    return (
        f"{implementer_prompt(brief, task, task_path)}\n\nThe last attempt did not pass `{task.verify}`. Its output, as data:\n"
        f"{_fenced(shown)}"
    )


def researcher_prompt(brief: str, task: Task, weak: tuple[str, ...]) -> str:
    """What an agent researcher starts from: the source researcher's brief, the questions that are weak, and the shape it must keep."""
    asked = "\n".join(f"- {question}" for question in weak or task.questions)
    return (
        "You research and write nothing but your answer. Below is a brief that a program wrote from the installed source. Answer the "
        "questions named after it better than it does: read the installed source, cite file and lines for every claim, never guess. "
        "Print the whole brief again in exactly its shape, with your findings in it.\n\n"
        f"{brief}\n\nQuestions to answer better:\n{asked}\n"
    )


def task_words(task: Task, task_path: str) -> str:
    """The task as an implementer reads it."""
    parts = [f"Task {task.id}: {task.title}", f"Task file: {task_path}"]
    if task.text:
        parts.append(task.text)
    if task.files:
        parts.append("Files: " + ", ".join(task.files))
    if task.verify:
        parts.append(f"It is done when this command passes: {task.verify}")
    return "\n\n".join(parts)


def _fenced(text: str) -> str:
    """The text between fences that it cannot close."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    longest = run = 0
    for sign in text:
        run = run + 1 if sign == "`" else 0
        longest = max(longest, run)
    return longest
