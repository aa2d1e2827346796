#ifndef FOLLOWSPOT_CSQLITE_H
#define FOLLOWSPOT_CSQLITE_H

#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast, which Swift cannot import: these bind a private copy of the bytes.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return length == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                     : sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

#endif
