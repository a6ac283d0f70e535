"""The exit codes of the contract."""

YES = 0
NO = 1
USAGE = 2
UNKNOWN = 3
AGENT_FAILED = 4
CAP_REACHED = 5
