#!/usr/bin/env bash
# The shell of Debian 12 (sqlite3 3.40.1-2+deb12u2) cannot `.recover` any database, however sound.
#
# Expected: `sqlite3 file .recover` prints the SQL that makes the same tables and rows again. Seen: it prints seven lines of
# settings and not one table, then "sql error: SQL logic error (1)", and exits with 1. `.recover` reads pages through the
# virtual table sqlite_dbpage, and Debian's library, with which the shell is linked dynamically, is built without it.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

apt-get -o APT::Sandbox::User=root download sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 > /dev/null
for package in ./*.deb; do dpkg -x "$package" installed; done
export PATH="$place/installed/usr/bin:$PATH"
LD_LIBRARY_PATH="$(dirname "$(find "$place/installed" -name libsqlite3.so.0)")"
export LD_LIBRARY_PATH

sqlite3 film.db "CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO film VALUES (1, 'Cars')"
{
  sqlite3 film.db 'PRAGMA integrity_check'
  status=0
  sqlite3 film.db .recover > script 2> error || status=$?
  echo "exit code $status: $(cat error)"
  echo "statements that create or fill a table: $(grep -cE 'CREATE|INSERT' script || true)"
  sqlite3 film.db 'SELECT count(*) FROM sqlite_dbpage' 2>&1 | grep -o 'no such table: .*' || true
  echo "built with: $(sqlite3 film.db 'PRAGMA compile_options' | grep -E 'DBPAGE|DBSTAT' | tr '\n' ' ')"
} > seen

diff - seen << 'END'
ok
exit code 1: sql error: SQL logic error (1)
statements that create or fill a table: 0
no such table: sqlite_dbpage
built with: ENABLE_DBSTAT_VTAB 
END
echo "as described: $(sqlite3 --version | cut -d' ' -f1)"
