"""What is in stock."""

from py_app.fetch import fetch_json


def in_stock(service: str, articles: list[str]) -> dict[str, int]:
    """Pieces in stock of each article."""
    return {article: int(fetch_json(f"{service}/stock/{article}")["pieces"]) for article in articles}
