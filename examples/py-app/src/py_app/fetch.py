"""The one way this application talks to other services."""

from typing import Any

import httpx
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

TIMEOUT_S = 10.0


@retry(
    retry=retry_if_exception_type(httpx.TransportError),
    stop=stop_after_attempt(4),
    wait=wait_exponential(multiplier=0.2, max=5),
    reraise=True,
)
def fetch_json(url: str, *, params: dict[str, str] | None = None) -> Any:
    """The JSON behind a URL, with retries on transport errors and the application's timeout."""
    with httpx.Client(timeout=TIMEOUT_S, follow_redirects=True) as client:
        response = client.get(url, params=params)
        response.raise_for_status()
        return response.json()
