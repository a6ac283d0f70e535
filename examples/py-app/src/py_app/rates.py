"""Exchange rates."""

from py_app.fetch import fetch_json


def rate(service: str, currency: str) -> float:
    """How many euros one unit of the currency buys."""
    return float(fetch_json(f"{service}/rates", params={"currency": currency})["euros"])
