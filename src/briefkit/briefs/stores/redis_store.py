"""A shared store on Redis or Valkey, through redis-py.

Every socket has a timeout and no hidden retry, so a frozen server costs a second, not a hang. Leases are Lua scripts on the server's own
clock; a completion clears the lease and sets the entry, or does neither. All keys of a namespace begin with
`briefkit:{NAMESPACE}:`, so that a server's access rules can grant one namespace and no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from briefkit.errors import IndexUnavailableError
from briefkit.text import one_line, public_url

from .deadline import within
from .packing import body_of, packed, unpacked
from .port import LEASE_LIMIT, Fetched, Health, Lease, Row, StoreFullError, StoreReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from redis import Redis

_TIMEOUT = 0.9
_CONNECT = 1.1
# An entry leaves the server by itself a day after it ended.
_SLACK = 24 * 3600.0

_NOW = "local t = redis.call('TIME') local now = t[1] + t[2] / 1000000 "
_MINE = (
    "local h = redis.call('HMGET', KEYS[1], 'owner', 'token') if h[1] ~= ARGV[1] or h[2] ~= ARGV[2] then return 0 end "
)
_ACQUIRE = (
    _NOW
    + """
local h = redis.call('HMGET', KEYS[1], 'owner', 'token', 'expires', 'failures', 'not_before')
local owner, token = h[1], tonumber(h[2] or '0')
local left, waits, failures = tonumber(h[3] or '0') - now, tonumber(h[5] or '0') - now, tonumber(h[4] or '0')
local limit = tonumber(ARGV[3])
if owner == '' then owner = false end
if not owner and waits > 0 and waits <= limit then return {0, token, '', tostring(waits), failures, 1} end
if owner and owner ~= ARGV[1] and left > 0 and left <= limit then return {0, token, owner, tostring(left), failures, 0} end
if math.abs(waits) >= limit then failures = 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'token', token + 1, 'expires', string.format('%.6f', now + ARGV[2]),
  'failures', failures, 'not_before', '0')
return {1, token + 1, ARGV[1], ARGV[2], failures, 0}
"""
)
_BEAT = _NOW + _MINE + "redis.call('HSET', KEYS[1], 'expires', string.format('%.6f', now + ARGV[3])) return 1"
_COMPLETE = (
    _MINE
    + "redis.call('HSET', KEYS[1], 'owner', '', 'expires', '0', 'failures', 0, 'not_before', '0') "
    + "redis.call('SET', KEYS[2], ARGV[3], 'PXAT', ARGV[4]) return 1"
)
_FAIL = (
    _NOW
    + _MINE
    + """
local failed = 0
if tonumber(ARGV[3]) > 0 then failed = 1 end
redis.call('HINCRBY', KEYS[1], 'failures', failed)
redis.call('HSET', KEYS[1], 'owner', '', 'expires', '0', 'not_before', string.format('%.6f', now + ARGV[3]))
return 1
"""
)


class RedisStore:
    """Entries as values, leases as hashes, counters as one hash."""

    shared = True

    def __init__(self, url: str, namespace: str) -> None:
        try:
            import redis
        except ImportError:
            raise IndexUnavailableError(
                "the package 'redis' is not installed", todo="Install briefkit[redis]."
            ) from None
        self._redis = redis
        self._url = url.replace("valkey", "redis", 1) if url.startswith("valkey") else url
        self.shown = one_line(public_url(url), 100)
        self._prefix = f"briefkit:{{{_safe(namespace)}}}:"
        self._open: Redis | None = None

    def _client(self) -> Redis:
        if self._open is None:
            from redis.backoff import NoBackoff
            from redis.retry import Retry

            client = self._redis.Redis.from_url(
                self._url,
                socket_timeout=_TIMEOUT,
                socket_connect_timeout=_TIMEOUT,
                retry=Retry(NoBackoff(), 0),
                decode_responses=False,
            )
            # looking up a name has no timeout, and each address of it has its own
            within(_CONNECT, client.ping, lambda _: client.close())
            self._open = client
        return self._open

    def _call(self, call: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - what the server answers
        """The server's answer; a connection that the server closed meanwhile is opened once more, a slow one is not."""
        errors = self._redis.exceptions
        for last in (False, True):
            try:
                return call(self._client())
            except (errors.TimeoutError, errors.AuthenticationError) as error:
                raise self._failure(error) from None
            except errors.ConnectionError as error:
                if last:
                    raise self._failure(error) from None
            except errors.RedisError as error:
                raise self._failure(error) from None
            except (OSError, ValueError) as error:
                raise self._failure(error) from None
        raise AssertionError("unreachable")

    def _failure(self, error: Exception) -> IndexUnavailableError:
        text = one_line(str(error), 200)
        what = f"{self.shown}: {type(error).__name__}: {text}"
        if text.startswith("OOM") or "maxmemory" in text:
            return StoreFullError(what)
        if text.lower().startswith(
            ("readonly", "you can't write against a read only", "misconf", "noperm", "no permissions")
        ):
            return StoreReadOnlyError(what)
        return IndexUnavailableError(what)

    def _entry(self, key: str) -> str:
        return f"{self._prefix}entry:{key}"

    def _lease(self, key: str) -> str:
        return f"{self._prefix}lease:{key}"

    def get(self, key: str) -> Fetched:
        """The bytes under the key, and the server's time, in one round trip."""

        def call(client: Any) -> Any:  # noqa: ANN401
            return client.pipeline(transaction=False).get(self._entry(key)).time().execute()

        value, (seconds, micros) = self._call(call)
        return Fetched(None if value is None else body_of(value), seconds + micros / 1e6)

    def put(self, row: Row) -> None:
        """Keep the row."""
        self._call(lambda client: client.set(self._entry(row.key), packed(row), pxat=_ends(row)))

    def acquire(self, key: str, owner: str, ttl: float) -> Lease:
        """Take the lease where it is free, in one script."""
        won, token, holder, left, failures, backing_off = self._call(
            lambda client: client.eval(_ACQUIRE, 1, self._lease(key), owner, repr(ttl), repr(LEASE_LIMIT))
        )
        if won:
            return Lease.granted(token, owner, ttl, failures)
        return Lease.refused(token, holder.decode() or None, float(left), failures, backing_off=bool(backing_off))

    def beat(self, key: str, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease where it is still this owner's."""
        return bool(self._call(lambda client: client.eval(_BEAT, 1, self._lease(key), owner, token, repr(ttl))))

    def complete(self, key: str, owner: str, token: int, row: Row) -> bool:
        """Give the lease back and keep the row in one script."""
        names = (self._lease(key), self._entry(row.key))
        return bool(self._call(lambda client: client.eval(_COMPLETE, 2, *names, owner, token, packed(row), _ends(row))))

    def fail(self, key: str, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing."""
        return bool(self._call(lambda client: client.eval(_FAIL, 1, self._lease(key), owner, token, repr(backoff))))

    def delete(self, key: str) -> bool:
        """Remove the entry."""
        return bool(self._call(lambda client: client.delete(self._entry(key))))

    def rows(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Row]:
        """All rows of this namespace, or those of one package."""
        rows = [row for row in self._scan() if ecosystem in (None, row.ecosystem) and name in (None, row.name)]
        yield from sorted(rows, key=lambda row: (row.ecosystem, row.name, row.version, row.key))

    def _scan(self) -> Iterator[Row]:
        start = self._entry("")
        cursor = 0
        seen: set[bytes] = set()
        while True:
            cursor, names = self._page(cursor, _literal(start) + "*")
            fresh = [name for name in names if name not in seen]
            seen.update(fresh)
            for name, value in zip(fresh, self._values(fresh), strict=True):
                if value is not None:
                    yield unpacked(name.decode()[len(start) :], value)
            if cursor == 0:
                return

    def _page(self, cursor: int, pattern: str) -> tuple[int, list[bytes]]:
        found: tuple[int, list[bytes]] = self._call(lambda client: client.scan(cursor, match=pattern, count=500))
        return found

    def _values(self, names: list[bytes]) -> list[bytes | None]:
        values: list[bytes | None] = self._call(lambda client: client.mget(names)) if names else []
        return values

    def sweep(self, before: float, limit: int = 1000) -> int:
        """Remove entries that expired before this time; the server removes them by itself a day after."""
        ended = [row.key for row in self._scan() if row.expires_at < before][:limit]
        return sum(self.delete(key) for key in ended)

    def count(self, counts: Mapping[str, int]) -> None:
        """Add to the counters in one round trip."""

        def call(client: Any) -> None:  # noqa: ANN401
            pipe = client.pipeline(transaction=False)
            for name, number in counts.items():
                pipe.hincrby(self._prefix + "counters", name, number)
            pipe.execute()

        self._call(call)

    def counters(self) -> dict[str, int]:
        """All counters."""
        found = self._call(lambda client: client.hgetall(self._prefix + "counters"))
        return {name.decode(): int(number) for name, number in found.items()}

    def now(self) -> float:
        """The server's time."""
        seconds, micros = self._call(lambda client: client.time())
        return float(seconds + micros / 1e6)

    def close(self) -> None:
        """Close the connections."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def health(self) -> Health:
        """The server's version, its eviction policy and persistence."""
        info = self._call(lambda client: client.info())
        policy = str(info.get("maxmemory_policy", "unknown"))
        appends = bool(info.get("aof_enabled"))
        facts = {
            "server": f"{info.get('server_name', 'redis')} {info.get('redis_version', '?')}",
            "maxmemory_policy": policy,
            "append_only_file": "on" if appends else "off",
        }
        warnings = []
        if policy not in ("noeviction", "unknown") and not policy.startswith("volatile-"):
            warnings.append(
                f"eviction policy '{policy}' removes entries and leases silently: use noeviction or volatile-ttl"
            )
        if not appends:
            warnings.append("no append-only file: a crash of the server loses every entry since its last snapshot")
        return Health("redis", facts, tuple(warnings))


def _ends(row: Row) -> int:
    return max(int((row.expires_at + _SLACK) * 1000), 1)


def _safe(namespace: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else f"%{ord(sign):x}" for sign in namespace)


def _literal(text: str) -> str:
    """The text for a glob pattern, meaning itself."""
    return "".join("\\" + sign if sign in "*?[]^\\" else sign for sign in text)
