"""`python -m briefkit`."""

from briefkit.cli import main

raise SystemExit(main())
