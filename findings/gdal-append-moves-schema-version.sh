#!/usr/bin/env bash
# GDAL 3.12.4 (PyPI pyogrio 0.13.0) raises SQLite's schema version by 4 with each append to a GeoPackage, although the
# schema is the same before and after.
#
# Expected: appending rows leaves `PRAGMA schema_version` as it is. Seen: it goes up by 4 at every append of one feature,
# while all rows of sqlite_master stay equal. So every other connection must compile its statements anew, and a
# program that takes the number for "the schema has changed" is wrong after each append.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pyogrio==0.13.0 numpy==2.4.6

cat > program.py << 'END'
import sqlite3
import struct

import numpy
import pyogrio
from pyogrio.raw import write


def add(append):
    point = struct.pack("<BIdd", 1, 1, 8.5, 47.4)
    write("places.gpkg", geometry=numpy.array([point], dtype=object), fields=["name"],
          field_data=[numpy.array(["Zurich"], dtype=object)], geometry_type="Point", crs="EPSG:4326",
          layer="place", driver="GPKG", append=append)


def state():
    connection = sqlite3.connect("places.gpkg")
    version, = connection.execute("PRAGMA schema_version").fetchone()
    schema = sorted(map(str, connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")))
    rows, = connection.execute("SELECT count(*) FROM place").fetchone()
    connection.close()
    return version, schema, rows


add(False)
for _ in range(3):
    before = state()
    add(True)
    after = state()
    print("rows", after[2] - before[2], "schema version", after[0] - before[0], "same schema", after[1] == before[1])
print("GDAL", *pyogrio.__gdal_version__)
END
environment/bin/python program.py > seen

diff - seen << 'END'
rows 1 schema version 4 same schema True
rows 1 schema version 4 same schema True
rows 1 schema version 4 same schema True
GDAL 3 12 4
END
echo "as described"
