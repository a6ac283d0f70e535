"""Node's own modules: a bare import of one never reaches a package of that name."""

from __future__ import annotations

_NAMES = frozenset(
    [
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "stream",
        "string_decoder",
        "sys",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    ]
)
_SUB_PATHS = frozenset(
    [
        "assert/strict",
        "dns/promises",
        "fs/promises",
        "inspector/promises",
        "path/posix",
        "path/win32",
        "readline/promises",
        "stream/consumers",
        "stream/promises",
        "stream/web",
        "timers/promises",
        "util/types",
    ]
)
# These exist under `node:` alone, so that a package may have the bare name.
_PREFIXED = frozenset({"node:sea", "node:sqlite", "node:test", "node:test/reporters"})


def is_builtin(import_text: str) -> bool:
    """Whether an import reaches Node itself: `events` and `node:fs/promises` do; `events/`, the package's form, does not."""
    if import_text.startswith("node:"):
        return import_text in _PREFIXED or is_builtin(import_text[len("node:") :])
    return import_text in _NAMES or import_text in _SUB_PATHS
