#!/usr/bin/env bash
# Xapian 1.4.22 (Debian 1.4.22-1): after a stub file was switched to another database, open handles stay with the old one.
#
# Expected: `reopen()` of a reader that was opened by the path of a stub follows the stub, and a writer fails or follows.
# Seen: the reader stays with the first database for ever; `reopen()` even answers True, when the writer commits there. The
# writer commits without an error to the database that the stub does not name any more, so nobody who opens the stub sees
# the document.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

apt-get -o APT::Sandbox::User=root download python3-xapian=1.4.22-1 libxapian30=1.4.22-1 > /dev/null
for package in ./*.deb; do dpkg -x "$package" installed; done
export PYTHONPATH="$place/installed/usr/lib/python3/dist-packages"
LD_LIBRARY_PATH="$(dirname "$(find "$place/installed" -name 'libxapian.so.30')")"
export LD_LIBRARY_PATH

cat > program.py << 'END'
import os

import xapian


def make(name, word):
    database = xapian.WritableDatabase(name, xapian.DB_CREATE_OR_OVERWRITE)
    add(database, word)


def add(database, word):
    document = xapian.Document()
    document.add_term(word)
    database.add_document(document)
    database.commit()


def switch(name):
    with open("stub.new", "w") as file:
        file.write(f"auto {name}\n")
    os.rename("stub.new", "stub")


def terms(database):
    return [term.term.decode() for term in database.allterms()]


print("Xapian", xapian.version_string())
make("first", "old")
make("second", "new")
switch("first")
reader = xapian.Database("stub")
writer = xapian.WritableDatabase("stub", xapian.DB_OPEN)
switch("second")
print("reopen:", reader.reopen(), terms(reader))
add(writer, "late")
print("reopen after the writer's commit:", reader.reopen(), terms(reader))
print("opened now:", terms(xapian.Database("stub")))
END
python3.11 program.py > seen

diff - seen << 'END'
Xapian 1.4.22
reopen: False ['old']
reopen after the writer's commit: True ['late', 'old']
opened now: ['new']
END
echo "as described"
