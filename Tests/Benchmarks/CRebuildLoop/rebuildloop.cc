// SPDX-License-Identifier: MIT

#include "rebuildloop.h"

#include <sqlite3.h>
#include <xapian.h>

#include <cstdio>
#include <string>

namespace {

std::string text(sqlite3_stmt *row, int column) {
  const void *bytes = sqlite3_column_blob(row, column);
  return bytes ? std::string(static_cast<const char *>(bytes), sqlite3_column_bytes(row, column)) : std::string();
}

void index(Xapian::TermGenerator &generator, const std::string &words, const std::string &prefix, unsigned weight) {
  generator.index_text(words, 1, prefix);
  generator.index_text_without_positions(words, weight);
  generator.increase_termpos(100);
}

}  // namespace

extern "C" long rebuild_loop(const char *store, const char *path, double *terms) {
  try {
    sqlite3 *connection = nullptr;
    if (sqlite3_open_v2(store, &connection, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) return -1;
    sqlite3_stmt *rows = nullptr, *strings = nullptr;
    sqlite3_prepare_v2(connection, "SELECT Z_PK, ZCAST, ZEXTRACT, ZGENRES, ZHREF, ZTITLE, ZYEAR FROM ZMOVIE", -1, &rows,
                       nullptr);
    sqlite3_prepare_v2(connection, "SELECT value FROM json_each(CAST(?1 AS TEXT))", -1, &strings, nullptr);
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
    Xapian::TermGenerator generator;
    generator.set_stemmer(Xapian::Stem("english"));
    const char *prefixes[] = {"", "XTA", "XTB", "XTC", "XTD", "XTE"};
    long count = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
      Xapian::Document document;
      generator.set_document(document);
      generator.set_termpos(0);
      const std::string unique = "QMovie/p" + std::to_string(sqlite3_column_int64(rows, 0));
      document.add_boolean_term(unique);
      document.add_boolean_term("XE:Movie");
      for (int column = 1; column <= 5; column++) {
        if (sqlite3_column_type(rows, column) == SQLITE_NULL) continue;
        if (column == 1 || column == 3) {
          sqlite3_bind_value(strings, 1, sqlite3_column_value(rows, column));
          while (sqlite3_step(strings) == SQLITE_ROW) {
            const std::string value = text(strings, 0);
            index(generator, value, prefixes[column], 1);
            document.add_boolean_term(std::string(column == 1 ? "XGA:" : "XGC:") +
                                      Xapian::Unicode::tolower(value).substr(0, 200));
          }
          sqlite3_reset(strings);
        } else {
          index(generator, text(rows, column), prefixes[column], column == 5 ? 5 : 1);
        }
      }
      document.add_value(7, Xapian::sortable_serialise(sqlite3_column_double(rows, 6)));
      document.add_value(0, std::string(16, 'd'));
      document.add_value(1, unique);
      document.set_data(unique);
      database.replace_document(unique, document);
      count++;
    }
    database.commit();
    *terms = database.get_avlength() * database.get_doccount();
    sqlite3_finalize(rows);
    sqlite3_finalize(strings);
    sqlite3_close(connection);
    return count;
  } catch (const Xapian::Error &error) {
    std::fprintf(stderr, "%s\n", error.get_description().c_str());
    return -1;
  }
}
