#!/bin/sh
# The main job on real input: a brief for each example project, the gate, and the same question again from the index.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export BRIEFKIT_CACHE_DIR="$cache"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*" >&2; }

if [ -d "$here/orm-app/node_modules/sequelize" ]; then
  ask_orm() {
    briefkit -C "$here/orm-app" ask --task task-0417 \
      "How do we bulk-insert rows with sequelize at the pinned version?" \
      "Does the repo already wrap this anywhere?" \
      "Does Model.upsertMany exist?"
  }
  say 'briefkit -C examples/orm-app ask --task task-0417 "How do we bulk-insert rows …?" "Does the repo already wrap this anywhere?" "Does Model.upsertMany exist?"'
  ask_orm
  say 'briefkit -C examples/orm-app gate task-0417'
  briefkit -C "$here/orm-app" gate task-0417
  say 'the same again'
  ask_orm >/dev/null
else
  echo "examples/orm-app is not installed (no npm here): its half of the demo is skipped" >&2
fi

say 'briefkit -C examples/py-app ask --task task-0001 "How do we send a GET request with httpx?" "Does the repo already wrap this?" "Does httpx.Client.fetch exist?" "Does httpx.Client.get exist?"'
briefkit -C "$here/py-app" ask --task task-0001 \
  "How do we send a GET request with httpx?" \
  "Does the repo already wrap this?" \
  "Does httpx.Client.fetch exist?" \
  "Does httpx.Client.get exist?"
say 'briefkit -C examples/py-app gate task-0001'
briefkit -C "$here/py-app" gate task-0001
