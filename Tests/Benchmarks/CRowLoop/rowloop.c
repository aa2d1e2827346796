// SPDX-License-Identifier: MIT

#include "include/rowloop.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *store_open(const char *path) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
    sqlite3_close(db);
    return NULL;
  }
  sqlite3_exec(db, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
  return db;
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE;
}

static int insert_rows(sqlite3 *db, long first, long count, const char *title, const char *detail) {
  sqlite3_stmt *row = NULL, *change = NULL;
  int good = sqlite3_prepare_v2(db,
                 "INSERT INTO ZENTRY (Z_PK, Z_ENT, Z_OPT, ZISSEEN, ZYEAR, ZADDED, ZSCORE, ZDETAIL, ZTITLE) "
                 "VALUES (?1, 1, 1, ?2, ?3, ?4, ?5, ?6, ?7)", -1, &row, NULL) == SQLITE_OK
      && sqlite3_prepare_v2(db,
             "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
             "VALUES (?1, 16001, 0, 1, ?1, 1)", -1, &change, NULL) == SQLITE_OK;
  char text[256];
  for (long index = 0; good && index < count; index++) {
    long key = first + index;
    sqlite3_bind_int64(row, 1, key);
    sqlite3_bind_int64(row, 2, index % 2);
    sqlite3_bind_int64(row, 3, 1900 + index % 120);
    sqlite3_bind_double(row, 4, 700000000.0 + (double)index);
    sqlite3_bind_double(row, 5, (double)index / 7.0);
    sqlite3_bind_text(row, 6, detail, -1, SQLITE_STATIC);
    snprintf(text, sizeof text, "%s %ld", title, index);
    sqlite3_bind_text(row, 7, text, -1, SQLITE_STATIC);
    sqlite3_bind_int64(change, 1, key);
    good = run(row) && run(change);
  }
  sqlite3_finalize(row);
  sqlite3_finalize(change);
  return good;
}

long rowloop_write(const char *store, long first, long count, const char *title, const char *detail) {
  sqlite3 *db = store_open(store);
  if (!db) return -1;
  int good = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
      && insert_rows(db, first, count, title, detail)
      && sqlite3_exec(db,
             "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 700000000.5);"
             "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16002", NULL, NULL, NULL) == SQLITE_OK;
  char text[256];
  snprintf(text, sizeof text, "UPDATE Z_PRIMARYKEY SET Z_MAX = %ld WHERE Z_ENT IN (1, 16001); COMMIT", first + count - 1);
  good = good && sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
  sqlite3_close(db);
  return good ? count : -1;
}

static long change_rows(
    const char *store, const char *sql, int kind, const char *columns, long count, long transaction) {
  sqlite3 *db = store_open(store);
  if (!db) return -1;
  sqlite3_stmt *row = NULL, *change = NULL;
  int good = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
      && sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK
      && sqlite3_prepare_v2(db,
             "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
             "VALUES (16001, ?1, 1, ?2, ?3, ?4)", -1, &change, NULL) == SQLITE_OK;
  for (long key = 1; good && key <= count; key++) {
    sqlite3_bind_int64(row, 1, key);
    if (sqlite3_bind_parameter_count(row) > 1) sqlite3_bind_double(row, 2, (double)(key + transaction) / 3.0);
    sqlite3_bind_int(change, 1, kind);
    sqlite3_bind_int64(change, 2, key);
    sqlite3_bind_int64(change, 3, transaction);
    if (columns) sqlite3_bind_blob(change, 4, columns, 1, SQLITE_STATIC);
    good = run(row) && run(change);
  }
  sqlite3_finalize(row);
  sqlite3_finalize(change);
  char text[256];
  snprintf(text, sizeof text,
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (%ld, 16002, 700000000.5);"
      "UPDATE Z_PRIMARYKEY SET Z_MAX = %ld WHERE Z_ENT = 16002;"
      "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001; COMMIT",
      transaction, transaction);
  good = good && sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
  sqlite3_close(db);
  return good ? count : -1;
}

long rowloop_update(const char *store, long count, long transaction) {
  return change_rows(store, "UPDATE ZENTRY SET Z_OPT = Z_OPT + 1, ZSCORE = ?2 WHERE Z_PK = ?1", 1, "\x08", count,
      transaction);
}

long rowloop_delete(const char *store, long count, long transaction) {
  return change_rows(store, "DELETE FROM ZENTRY WHERE Z_PK = ?1", 2, NULL, count, transaction);
}

struct entry {
  sqlite3_int64 key, version, year;
  int seen;
  double added, score;
  char *detail, *title;
};

static char *copied(sqlite3_stmt *statement, int column) {
  const unsigned char *text = sqlite3_column_text(statement, column);
  size_t size = (size_t)sqlite3_column_bytes(statement, column);
  char *copy = malloc(size + 1);
  if (copy && text) memcpy(copy, text, size);
  if (copy) copy[size] = 0;
  return copy;
}

long rowloop_read(const char *store) {
  sqlite3 *db = store_open(store);
  if (!db) return -1;
  sqlite3_stmt *rows = NULL;
  long count = 0, room = 1024;
  struct entry *entries = malloc((size_t)room * sizeof *entries);
  int good = sqlite3_prepare_v2(db,
      "SELECT Z_PK, Z_OPT, ZISSEEN, ZYEAR, ZADDED, ZSCORE, ZDETAIL, ZTITLE FROM ZENTRY ORDER BY Z_PK", -1, &rows, NULL)
      == SQLITE_OK;
  while (good && sqlite3_step(rows) == SQLITE_ROW) {
    if (count == room) entries = realloc(entries, (size_t)(room *= 2) * sizeof *entries);
    struct entry *entry = &entries[count++];
    entry->key = sqlite3_column_int64(rows, 0);
    entry->version = sqlite3_column_int64(rows, 1);
    entry->seen = sqlite3_column_int(rows, 2);
    entry->year = sqlite3_column_int64(rows, 3);
    entry->added = sqlite3_column_double(rows, 4);
    entry->score = sqlite3_column_double(rows, 5);
    entry->detail = copied(rows, 6);
    entry->title = copied(rows, 7);
  }
  sqlite3_finalize(rows);
  sqlite3_close(db);
  for (long index = 0; index < count; index++) {
    free(entries[index].detail);
    free(entries[index].title);
  }
  free(entries);
  return good ? count : -1;
}

static long ask(const char *store, const char *sql, int counts_rows) {
  sqlite3 *db = store_open(store);
  if (!db) return -1;
  sqlite3_stmt *rows = NULL;
  long count = 0, room = 1024;
  sqlite3_int64 *keys = malloc((size_t)room * sizeof *keys);
  int good = sqlite3_prepare_v2(db, sql, -1, &rows, NULL) == SQLITE_OK;
  while (good && sqlite3_step(rows) == SQLITE_ROW) {
    if (!counts_rows) {
      count = (long)sqlite3_column_int64(rows, 0);
      continue;
    }
    if (count == room) keys = realloc(keys, (size_t)(room *= 2) * sizeof *keys);
    keys[count++] = sqlite3_column_int64(rows, 0);
  }
  free(keys);
  sqlite3_finalize(rows);
  sqlite3_close(db);
  return good ? count : -1;
}

long rowloop_count(const char *store) { return ask(store, "SELECT COUNT(*) FROM ZENTRY", 0); }
long rowloop_keys(const char *store) { return ask(store, "SELECT Z_PK FROM ZENTRY ORDER BY Z_PK", 1); }
