"""Large Python environments, laid by uv and kept under `.work/` for the next run.

What is asked for is a mixed bag of widely used distributions: namespaces, compiled modules, stubs, one name for the distribution and
another for the import, and no wheel of hundreds of megabytes.
"""

from __future__ import annotations

import os
import subprocess
import sys

WORK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ".work", "python")
SMALL = (
    "pip pyyaml requests attrs six google-cloud-storage types-PyYAML ujson black PyJWT python-dateutil beautifulsoup4"
)
LARGE = f"""{SMALL} jupyter fastapi[all] django djangorestframework celery[redis] flask-sqlalchemy alembic pandas mypy pytest-xdist
pytest-asyncio pytest-cov hypothesis sphinx-rtd-theme sphinxcontrib-mermaid mkdocs-material boto3 aiobotocore google-cloud-pubsub
google-cloud-bigquery google-cloud-secret-manager google-cloud-logging azure-identity azure-storage-blob azure-keyvault-secrets
opentelemetry-distro opentelemetry-exporter-otlp opentelemetry-instrumentation-requests zope.interface zope.event twisted scrapy
jaraco.functools jaraco.text jaraco.classes backports.tarfile ruamel.yaml poetry pdm hatch tox nox pre-commit kubernetes types-requests
types-protobuf types-python-dateutil types-setuptools pandas-stubs opencv-python-headless python-jose python-dotenv lxml pillow pyzmq
orjson openai anthropic httpx[http2] aiohttp gunicorn psycopg[binary] pymongo elasticsearch docker fabric textual typer msgspec cattrs
marshmallow networkx sympy matplotlib tenacity structlog loguru sentry-sdk arrow pendulum faker factory-boy freezegun responses vcrpy moto
locust pylint flake8 isort bandit pip-audit twine setuptools-scm cython graphene strawberry-graphql grpcio-tools nltk duckdb xlsxwriter
openpyxl python-docx griffe plotly altair"""


def uv() -> str:
    """The uv of an environment of its own, made where it is not there yet."""
    home = os.path.join(WORK, "tools")
    found = os.path.join(home, "bin", "uv")
    if not os.path.exists(found):
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([os.path.join(home, "bin", "python"), "-m", "pip", "install", "-q", "uv"], check=True)
    return found


def environment(*, large: bool) -> str:
    """The folder of an environment: about 500 distributions, or about 40."""
    path = os.path.join(WORK, "large" if large else "small")
    if not os.path.exists(os.path.join(path, "ready")):
        subprocess.run([uv(), "venv", "-q", "--clear", "--python", sys.executable, path], check=True)
        wanted = (LARGE if large else SMALL).split()
        subprocess.run(
            [uv(), "pip", "install", "-q", "--python", os.path.join(path, "bin", "python"), *wanted], check=True
        )
        with open(os.path.join(path, "ready"), "w", encoding="utf-8"):
            pass
    return path
