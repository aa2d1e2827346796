#!/usr/bin/env bash
# Fossil 2.21 (Debian 1:2.21-1+deb12u1) writes its repository, an SQLite database, without firing the triggers in it, and
# `fossil rebuild` drops tables that it does not know but keeps their triggers.
#
# Expected of any writer: a trigger on the table `blob` sees each new artifact. Seen: a commit adds artifacts, and the
# trigger's table stays empty. After `fossil rebuild` the table is gone and the trigger remains. Fossil itself still
# commits, but an INSERT by any other program fails.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

apt-get -o APT::Sandbox::User=root download fossil=1:2.21-1+deb12u1 sqlite3=3.40.1-2+deb12u2 > /dev/null
for package in ./*.deb; do dpkg -x "$package" installed; done
export HOME="$place" USER=ann PATH="$place/installed/usr/bin:$PATH"

fossil new repository.fossil > /dev/null
sqlite3 repository.fossil "
  CREATE TABLE audit(id INTEGER PRIMARY KEY, uuid TEXT);
  CREATE TRIGGER audit_blob AFTER INSERT ON blob BEGIN INSERT INTO audit(uuid) VALUES (new.uuid); END"
before="$(sqlite3 repository.fossil 'SELECT count(*) FROM blob')"
mkdir checkout && cd checkout
fossil open ../repository.fossil > /dev/null
echo one > file && fossil add file > /dev/null && fossil commit -m one --no-warnings > /dev/null
cd ..
{
  echo "artifacts added: $(($(sqlite3 repository.fossil 'SELECT count(*) FROM blob') - before))"
  echo "rows that the trigger wrote: $(sqlite3 repository.fossil 'SELECT count(*) FROM audit')"
  fossil rebuild repository.fossil > /dev/null
  echo "left after a rebuild: $(sqlite3 repository.fossil "SELECT group_concat(type || ' ' || name) FROM sqlite_master WHERE name GLOB 'audit*'")"
  sqlite3 repository.fossil "INSERT INTO blob(size, uuid) VALUES (0, 'x')" 2>&1 | grep -o 'no such table: .*' || true
} > seen

diff - seen << 'END'
artifacts added: 2
rows that the trigger wrote: 0
left after a rebuild: trigger audit_blob
no such table: main.audit
END
echo "as described: $(fossil version)"
