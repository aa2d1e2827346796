// SPDX-License-Identifier: MIT

import SQLite
import Store

/// Ordinary databases that the tests make.
enum DatabaseFiles {
  /// Authors and books of several pages, with an index, dates, JSON and a foreign key.
  static func make(_ path: String, books: Int = 400, isAttached: Bool = false, isWAL: Bool = false) throws {
    let connection = try Connection(path: path, access: .create)
    if isWAL { try connection.execute("PRAGMA journal_mode = WAL") }
    try connection.execute(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born TEXT);
      CREATE TABLE books (
        id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors, added INTEGER, tags TEXT, cover BLOB);
      CREATE INDEX books_by_title ON books (title);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO authors SELECT i, 'author ' || i, date('1900-01-01', i || ' years') FROM n;
      """)
    if isAttached { _ = try Attachment.attach(path, preserving: ["title"]) }
    try connection.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(books))
      INSERT INTO books SELECT i, 'book ' || i || ' of the shelf ' || i % 7, 1 + i % 40, 1577836800 + i * 3600,
        '["tag' || i % 5 || '", "shelf"]', randomblob(20) FROM n;
      DELETE FROM books WHERE id % 9 = 0;
      """)
  }
}
