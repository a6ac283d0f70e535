"""sha256 without the start-up of `hashlib`, which loads OpenSSL: a lookup in the index is shorter than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        # as the standard library's `random` does: the interpreter's own implementation
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256


def sha256_of(data: bytes) -> str:
    """The sha256 of the bytes, in hexadecimal."""
    return sha256(data).hexdigest()
