// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

/// Databases with the schemas of well-known programs.
@Suite(.overlapping, .temporaryDirectory)
struct DatabaseShapesTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String
    /// Queries, and the identifiers of the hits.
    let found: [String: [String]]
  }

  static let shapes = [
    Shape(
      testDescription: "Firefox",
      sql: """
        CREATE TABLE moz_origins (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL, UNIQUE (prefix, host));
        CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
          visit_count INTEGER DEFAULT 0, last_visit_date INTEGER, guid TEXT, origin_id INTEGER REFERENCES moz_origins(id));
        CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, place_id INTEGER, visit_date INTEGER, visit_type INTEGER);
        CREATE UNIQUE INDEX moz_places_guid ON moz_places (guid);
        INSERT INTO moz_origins VALUES (1, 'https://', 'www.debian.org');
        INSERT INTO moz_places VALUES
          (1, 'https://www.debian.org/', 'Debian -- The Universal Operating System', 'gro.naibed.www.', 3,
            1700000000000000, 'aaaaaaaaaaaa', 1),
          (2, 'https://www.debian.org/releases/', 'Releases', 'gro.naibed.www.', 1, NULL, 'bbbbbbbbbbbb', 1);
        INSERT INTO moz_historyvisits VALUES (1, 1, 1700000000000000, 1);
        """,
      found: [
        "universal": ["moz_historyvisits/1", "moz_places/1"],
        "last_visit_date:2023-11-14": ["moz_places/1"],
        "visit_date:2023": ["moz_historyvisits/1"], "title:releases": ["moz_places/2"],
        "visit_count:3..": ["moz_places/1"],
      ]),
    Shape(
      testDescription: "Calibre",
      sql: """
        CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE,
          sort TEXT COLLATE NOCASE, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP,
          series_index REAL NOT NULL DEFAULT 1.0, has_cover BOOL DEFAULT 0, last_modified TIMESTAMP);
        CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE (name));
        CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL,
          UNIQUE (book, author));
        CREATE TRIGGER books_update_trg AFTER UPDATE ON books BEGIN UPDATE books SET sort = NEW.title
          WHERE id = NEW.id AND OLD.title <> NEW.title; END;
        CREATE VIEW meta AS SELECT id, title FROM books;
        INSERT INTO books (title, timestamp, pubdate, has_cover) VALUES
          ('Solaris', '2024-02-03 10:11:12.123456+00:00', '1961-01-01 00:00:00+00:00', 1),
          ('Fiasco', '2024-02-04 10:11:12+00:00', '1986-01-01 00:00:00+00:00', 0);
        INSERT INTO authors VALUES (1, 'Stanisław Lem');
        INSERT INTO books_authors_link VALUES (1, 1, 1), (2, 2, 1);
        """,
      found: [
        "solaris": ["authors/1", "books/1"],
        "stanislaw": ["authors/1", "books/1", "books/2"], "pubdate:1961": ["books/1"],
        "is:has_cover": ["books/1"],
        "timestamp:2024-02-04": ["books/2"],
      ]),
    Shape(
      testDescription: "Anki",
      sql: """
        CREATE TABLE col (id INTEGER PRIMARY KEY, crt INTEGER NOT NULL, mod INTEGER NOT NULL, models TEXT NOT NULL);
        CREATE TABLE notes (id INTEGER PRIMARY KEY, guid TEXT NOT NULL, mid INTEGER NOT NULL, mod INTEGER NOT NULL,
          tags TEXT NOT NULL, flds TEXT NOT NULL, sfld INTEGER NOT NULL);
        CREATE TABLE cards (id INTEGER PRIMARY KEY, nid INTEGER NOT NULL, due INTEGER NOT NULL, ivl INTEGER NOT NULL);
        CREATE TABLE deck_config (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, config BLOB NOT NULL);
        CREATE TABLE tags (tag TEXT PRIMARY KEY NOT NULL, usn INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO col VALUES (1, 1600000000, 1700000000123, '{}');
        INSERT INTO notes VALUES (1600000000001, 'Ab', 1, 1700000000, ' geo ', 'Paris' || char(31) || 'France', 'Paris');
        INSERT INTO cards VALUES (1600000000002, 1600000000001, 5, 10);
        INSERT INTO deck_config VALUES (1, 'Default', x'00ff10');
        INSERT INTO tags VALUES ('geo', 1);
        """,
      found: ["france": ["notes/1600000000001"], "mod:2023-11-14": ["col/1", "notes/1600000000001"]]),
    Shape(
      testDescription: "Django",
      sql: """
        CREATE TABLE django_migrations (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, app varchar(255) NOT NULL);
        CREATE TABLE blog_author (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, name varchar(100) NOT NULL);
        CREATE TABLE blog_post (id char(32) NOT NULL PRIMARY KEY, title varchar(200) NOT NULL, body text NOT NULL,
          is_public bool NOT NULL, published datetime NULL, meta text NOT NULL CHECK (JSON_VALID(meta) OR meta IS NULL),
          author_id bigint NOT NULL REFERENCES blog_author (id) DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO django_migrations (app) VALUES ('blog');
        INSERT INTO blog_author (name) VALUES ('Ada');
        INSERT INTO blog_post VALUES ('aa', 'First post', 'Hello', 1, '2024-05-06 07:08:09.123456', '{"lang": "en"}', 1),
          ('bb', 'Second', 'World', 0, NULL, '{"lang": "de"}', 1);
        """,
      found: [
        "first": ["blog_post/aa"], "is:is_public": ["blog_post/aa"], "published:2024-05": ["blog_post/aa"],
        "author.name:ada": ["blog_post/aa", "blog_post/bb"], "meta.lang:de": ["blog_post/bb"],
        "ada": ["blog_author/1", "blog_post/aa", "blog_post/bb"],
      ]),
    Shape(
      testDescription: "Rails",
      sql: """
        CREATE TABLE schema_migrations (version varchar NOT NULL PRIMARY KEY);
        CREATE TABLE ar_internal_metadata (key varchar NOT NULL PRIMARY KEY, value varchar);
        CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, email varchar DEFAULT '' NOT NULL,
          admin boolean DEFAULT 0, created_at datetime(6) NOT NULL, updated_at datetime(6) NOT NULL);
        CREATE TABLE posts (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, user_id integer, title varchar,
          "order" integer, created_at datetime(6) NOT NULL, CONSTRAINT fk FOREIGN KEY (user_id) REFERENCES users (id));
        INSERT INTO users (email, admin, created_at, updated_at) VALUES
          ('ann@example.com', 1, '2024-01-02 03:04:05.678901', '2024-01-02 03:04:05.678901');
        INSERT INTO posts (user_id, title, "order", created_at) VALUES (1, 'On rails', 7, '2024-02-03 00:00:00');
        """,
      found: [
        "ann@example.com": ["users/1"], "is:admin": ["users/1"], "order:7": ["posts/1"],
        "created_at:2024-02": ["posts/1"], "title:rails": ["posts/1"],
      ]),
  ]

  @Test(arguments: shapes, [false, true])
  func `a database of a known program is searched, attached and detached`(_ shape: Shape, _ isAttached: Bool) throws {
    let database = try IndexedDatabase(shape.sql, isAttached: isAttached)
    try database.update()
    for (query, expected) in shape.found { #expect(try database.hits(query) == expected, "\(query)") }
    #expect(try database.isEqual)
    if isAttached { _ = try Attachment.detach(database.path) }
  }

  @Test func `200 tables are searched, and a change in one of them is found`() throws {
    let database = try IndexedDatabase()
    let connection = database.writer
    try connection.beginWrite()
    for number in 0..<200 {
      try connection.execute(
        "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, name TEXT, parent INTEGER REFERENCES t\(number / 2)(id));"
          + "INSERT INTO t\(number) VALUES (1, 'word\(number)', 1), (2, 'common', 2)")
    }
    try connection.commit()
    try database.update()
    // Row 1 of t123 has the word. Rows that refer to it would also have it, but there are none.
    #expect(try database.hits("word123") == ["t123/1"])
    #expect(try database.hits("name:common").count == 200)
    try connection.execute("UPDATE t77 SET name = 'changed' WHERE id = 2")
    // The documents of rows that refer to the changed one contain its name.
    #expect(try database.hits("name:changed") == ["t77/2"])
    #expect(try Set(database.hits("changed")) == ["t77/2", "t154/2", "t155/2"])
    #expect(try database.hits("name:common").count == 199)
    try connection.execute("UPDATE t150 SET parent = 2 WHERE id = 1; UPDATE t75 SET name = 'renamed' WHERE id = 2")
    #expect(try Set(database.hits("renamed")) == ["t75/2", "t150/1", "t150/2", "t151/2"])
  }
}
