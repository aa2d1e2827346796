#!/usr/bin/env bash
# sqlite-chronicle 0.6.1 (PyPI), which tracks the versions of rows by triggers, does not report a row whose primary key
# changes, nor a row that REPLACE removes because of another unique column.
#
# Expected of `updates_since`: every row that was added, changed or deleted after a version. Seen: after UPDATE of a primary
# key from 1 to 9 it reports nothing, neither the deletion of 1 nor the new row 9. After INSERT OR REPLACE of a row that takes
# the unique value of row 2 it reports the new row, but not that row 2 is gone. A plain DELETE is reported.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check sqlite-chronicle==0.6.1

cat > program.py << 'END'
import sqlite3

import sqlite_chronicle


def changes(statement):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE book (id INTEGER PRIMARY KEY, isbn TEXT UNIQUE)")
    connection.execute("INSERT INTO book VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    sqlite_chronicle.enable_chronicle(connection, "book")
    version, = connection.execute("SELECT max(__version) FROM _chronicle_book").fetchone()
    connection.execute(statement)
    reported = [(change.pks[0], "deleted" if change.deleted else "changed")
                for change in sqlite_chronicle.updates_since(connection, "book", version)]
    print(statement)
    print("  rows", [row for row, in connection.execute("SELECT id FROM book ORDER BY id")], "reported", sorted(reported))


changes("DELETE FROM book WHERE id = 1")
changes("UPDATE book SET id = 9 WHERE id = 1")
changes("INSERT OR REPLACE INTO book VALUES (4, 'b')")
END
environment/bin/python program.py > seen

diff - seen << 'END'
DELETE FROM book WHERE id = 1
  rows [2, 3] reported [(1, 'deleted')]
UPDATE book SET id = 9 WHERE id = 1
  rows [2, 3, 9] reported []
INSERT OR REPLACE INTO book VALUES (4, 'b')
  rows [1, 3, 4] reported [(4, 'changed')]
END
echo "as described"
