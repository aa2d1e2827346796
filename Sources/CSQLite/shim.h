// SPDX-License-Identifier: MIT

#ifndef FOLLOWSPOT_CSQLITE_H
#define FOLLOWSPOT_CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

/// `SQLITE_TRANSIENT` is a cast, which Swift cannot import: these bind a private copy of the bytes.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_TRANSIENT);
}

/// Binds bytes that stay where they are until the parameter is bound again or the statement is finalized.
static inline int csqlite_bind_kept_text(sqlite3_stmt *statement, int index, const void *text, int length) {
  return sqlite3_bind_text(statement, index, (const char *)text, length, SQLITE_STATIC);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return length == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                     : sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// Copies what tells one state of the main database from another, by the files that the connection has open itself:
/// closing a descriptor of one's own would drop the connection's POSIX locks.
///
/// `marks` receives bytes 24 to 39 and 92 to 99 of the file (the change counter among them), then the 48 bytes of the
/// `-wal`'s index header; zeros for what there is none of. `is_wal` is 1 where the connection reads by a `-wal` with an
/// index in shared memory. Returns an SQLite error code.
static inline int csqlite_marks(sqlite3 *connection, int is_wal, unsigned char marks[72]) {
  sqlite3_file *file = 0;
  for (int i = 0; i < 72; i++) marks[i] = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_OK;
  code = file->pMethods->xRead(file, marks, 16, 24);
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, marks + 16, 8, 92);
  if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
  if (code != SQLITE_OK || !is_wal || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return code;
  void volatile *index = 0;
  code = file->pMethods->xShmMap(file, 0, 32768, 0, &index);
  // A mapping that only allows reading is enough.
  if ((code & 0xff) == SQLITE_READONLY) code = SQLITE_OK;
  if (code != SQLITE_OK || !index) return code;
  // The header is there twice, and a writer changes the second one first: equal ones are of one moment.
  const unsigned char volatile *header = (const unsigned char volatile *)index;
  for (int attempt = 0, differs = 1; differs && attempt < 100; attempt++) {
    for (int i = 0; i < 48; i++) marks[24 + i] = header[i];
    differs = 0;
    for (int i = 0; i < 48; i++) differs |= marks[24 + i] != header[48 + i];
  }
  return code;
}

/// The size of the main database file in bytes. Returns an SQLite error code.
static inline int csqlite_file_size(sqlite3 *connection, sqlite3_int64 *size) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  return file && file->pMethods ? file->pMethods->xFileSize(file, size) : SQLITE_CANTOPEN;
}

/// Reads bytes of the main database file without a lock. What is missing at its end is zero, and the code is then
/// `SQLITE_IOERR_SHORT_READ`. Returns an SQLite error code.
static inline int csqlite_read_file(sqlite3 *connection, void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  return file && file->pMethods ? file->pMethods->xRead(file, bytes, count, offset) : SQLITE_CANTOPEN;
}

/// Whether the last connection to close moves the log's frames into the main file. The call is variadic in SQLite.
static inline int csqlite_set_checkpoint_on_close(sqlite3 *connection, int is_on) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_on ? 0 : 1, (int *)0);
}

/// Copies the frames of a log to the main file, as far as readers permit. Meanwhile a second connection holds the lock for
/// writing, so that no commit can reset the log: up to SQLite 3.51.2, a checkpoint that begins at that moment takes the new
/// frames for copied ones (the WAL-reset bug). Does nothing if the file at the path is another one now.
///
/// Returns an SQLite error code: `SQLITE_BUSY` if another connection writes for longer than `milliseconds`, or copies frames.
static inline int csqlite_checkpoint(sqlite3 *connection, const char *schema, int milliseconds) {
  int has_moved = 0;
  sqlite3 *holder = 0;
  int code = sqlite3_open_v2(sqlite3_db_filename(connection, schema), &holder,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, 0);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(holder, milliseconds);
    code = sqlite3_exec(holder, "BEGIN IMMEDIATE", 0, 0, 0);
  }
  if (code == SQLITE_OK) code = sqlite3_file_control(connection, schema, SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (code == SQLITE_OK && !has_moved)
    code = sqlite3_wal_checkpoint_v2(connection, schema, SQLITE_CHECKPOINT_PASSIVE, 0, 0);
  sqlite3_close(holder);
  return code;
}

/// Runs after each commit, when the log has so many pages.
static inline int csqlite_committed(void *limit, sqlite3 *connection, const char *schema, int pages) {
  const int most = (int)(intptr_t)limit;
  // Who has just committed usually gets the lock again. If the log grows, the lock is waited for.
  if (pages >= most) csqlite_checkpoint(connection, schema, pages / 4 >= most ? 1000 : 0);
  return SQLITE_OK;
}

/// Replaces SQLite's automatic checkpoints by those above, when the log has `pages` pages.
static inline void csqlite_checkpoint_automatically(sqlite3 *connection, int pages) {
  sqlite3_wal_hook(connection, csqlite_committed, (void *)(intptr_t)pages);
}

/// Without a count of used memory, which needs a lock, and without memory for pages before they are read. The calls are
/// variadic in SQLite.
static inline void csqlite_expect_many_connections(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

static inline void csqlite_result_blob(sqlite3_context *context, const void *bytes, int length) {
  sqlite3_result_blob(context, bytes, length, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text(sqlite3_context *context, const void *bytes, int length) {
  sqlite3_result_text(context, length == 0 ? "" : (const char *)bytes, length, SQLITE_TRANSIENT);
}

/// A virtual table and a cursor over its rows, each with the Swift object that implements it.
typedef struct {
  sqlite3_vtab base;
  void *object;
} csqlite_vtab;

typedef struct {
  sqlite3_vtab_cursor base;
  void *object;
} csqlite_vtab_cursor;

/// A copy of a text that SQLite frees. The call is variadic in SQLite.
static inline char *csqlite_copy(const char *text) { return sqlite3_mprintf("%s", text); }

#endif
