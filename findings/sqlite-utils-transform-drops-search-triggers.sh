#!/usr/bin/env bash
# sqlite-utils 4.2.1 (PyPI): `transform` drops the triggers that keep a full-text index up to date, without a word.
#
# Expected: a table with `enable_fts(create_triggers=True)` stays searchable after the type of another column is changed.
# Seen: all three triggers are gone after `transform`. Rows that are added or changed later are not found, and rows that
# were deleted are still counted by the index.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check sqlite-utils==4.2.1

cat > program.py << 'END'
import sqlite_utils

database = sqlite_utils.Database(memory=True)
database["animal"].insert_all([{"id": 1, "name": "red fox", "legs": "4"}, {"id": 2, "name": "hen", "legs": "2"}], pk="id")
database["animal"].enable_fts(["name"], create_triggers=True)


def state(moment):
    rows = sorted(row["id"] for row in database["animal"].rows_where("name LIKE '%red%'"))
    found = sorted(row["id"] for row in database["animal"].search("red"))
    print(moment, "triggers", len(database.triggers), "rows", rows, "found", found)


database["animal"].insert({"id": 3, "name": "red wolf", "legs": "4"})
state("before:")
database["animal"].transform(types={"legs": int})
database["animal"].insert({"id": 4, "name": "red squirrel", "legs": 4})
state("after:")
END
environment/bin/python program.py > seen

diff - seen << 'END'
before: triggers 3 rows [1, 3] found [1, 3]
after: triggers 0 rows [1, 3, 4] found [1, 3]
END
echo "as described"
