"""A scripted implementer: it reads its prompt on standard input and does what its task says, with no model behind it."""

import json
import re
import sys
from pathlib import Path

prompt = sys.stdin.read()
task = re.search(r"^Task (\S+): ", prompt, re.MULTILINE).group(1)
path = Path(re.search(r"^Task file: (.+)$", prompt, re.MULTILINE).group(1))

# A model would read the brief and write the code; what is shown here is that each task gets its brief, and what happens after.
if task == "disputed":
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "The brief names httpx.get, and this service answers only to POST.\n", encoding="utf-8")
elif task == "healed":
    first = "did not pass" not in prompt
    Path("rates_eur.py").write_text("RATE = 0\n" if first else "RATE = 1\n", encoding="utf-8")
else:
    Path(f"done_{task}.txt").write_text("done\n", encoding="utf-8")

print(json.dumps({"text": "done", "input_tokens": len(prompt) // 4, "output_tokens": 60, "cost": 0.0, "turns": 2}))
