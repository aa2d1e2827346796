#!/usr/bin/env bash
# Turso 0.8.3 (PyPI pyturso) leaves a file that SQLite refuses after `PRAGMA journal_mode = 'mvcc'`, also once it is closed.
#
# Expected of a file that begins with "SQLite format 3": SQLite reads it, or says that it is too new. Seen: the version
# bytes 18 and 19 of the header are 255, so SQLite 3.40.1 says "file is not a database", which sounds like damage. Setting
# journal_mode = 'wal' with Turso makes the same rows readable again.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pyturso==0.8.3 apsw==3.40.1.0

cat > program.py << 'END'
import apsw
import turso


def mode(name):
    connection = turso.connect("catalogue.db")
    print("turso:", connection.cursor().execute(f"PRAGMA journal_mode = '{name}'").fetchall())
    if name == "mvcc":
        connection.cursor().execute("INSERT INTO film VALUES (2, 'Up')")
        connection.commit()
    connection.close()


def read():
    print("bytes 18, 19:", *open("catalogue.db", "rb").read(20)[18:])
    try:
        connection = apsw.Connection("catalogue.db")
        print("sqlite:", list(connection.cursor().execute("SELECT title FROM film")))
    except apsw.Error as error:
        print("sqlite:", error)


connection = turso.connect("catalogue.db")
connection.cursor().execute("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT)")
connection.cursor().execute("INSERT INTO film VALUES (1, 'Cars')")
connection.commit()
connection.close()
mode("mvcc")
read()
mode("wal")
read()
END
environment/bin/python program.py > seen

diff - seen << 'END'
turso: [('mvcc',)]
bytes 18, 19: 255 255
sqlite: NotADBError: file is not a database
turso: [('wal',)]
bytes 18, 19: 2 2
sqlite: [('Cars',), ('Up',)]
END
echo "as described: pyturso 0.8.3, SQLite 3.40.1"
