// SPDX-License-Identifier: MIT

import Store
import TestSupport
import Testing

/// Virtual tables and indexes whose modules are not here.
@Suite(.temporaryDirectory) struct ShadowTableTests {
  /// The tables that sqlite-vec and libSQL make, and tables of a person that begin with the same names.
  private static let schema = """
    CREATE TABLE vn_info (key TEXT PRIMARY KEY, value ANY);
    CREATE TABLE vn_chunks (chunk_id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, validity BLOB NOT NULL,
      rowids BLOB NOT NULL);
    CREATE TABLE vn_rowids (rowid INTEGER PRIMARY KEY AUTOINCREMENT, id, chunk_id INTEGER, chunk_offset INTEGER);
    CREATE TABLE vn_vector_chunks00 (rowid PRIMARY KEY, vectors BLOB NOT NULL);
    CREATE TABLE vn_metadatatext00 (rowid PRIMARY KEY, data TEXT);
    CREATE TABLE vn_notes (id INTEGER PRIMARY KEY, body TEXT);
    CREATE TABLE book_data (id INTEGER PRIMARY KEY, block BLOB, level INTEGER);
    CREATE TABLE book_loan (id INTEGER PRIMARY KEY, book_id INTEGER, member_id INTEGER);
    CREATE TABLE book_info (key TEXT PRIMARY KEY, value ANY);
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT, vector BLOB);
    CREATE INDEX films_index ON films (vector);
    CREATE TABLE films_index_shadow (index_key INTEGER, data BLOB, PRIMARY KEY (index_key));
    CREATE TABLE films_cover (id INTEGER PRIMARY KEY, cover BLOB);
    CREATE TABLE libsql_vector_meta_shadow (name TEXT PRIMARY KEY, metadata BLOB) WITHOUT ROWID;
    INSERT INTO vn_info VALUES ('CREATE_VERSION', 'v0.1.6'); INSERT INTO vn_notes VALUES (1, 'lilac');
    INSERT INTO books VALUES (1, 'heron'); INSERT INTO book_loan VALUES (1, 1, 7);
    INSERT INTO book_info VALUES ('lilac', 'heron');
    INSERT INTO films VALUES (1, 'heron', x'00'); INSERT INTO films_index_shadow VALUES (1, x'00');
    CREATE VIRTUAL TABLE f USING fts5(title, content='books', content_rowid='id');
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema VALUES ('table', 'vn', 'vn', 0, 'CREATE VIRTUAL TABLE vn USING vec0(a float[4])'),
      ('table', 'book', 'book', 0, 'CREATE VIRTUAL TABLE book USING shelves(a)');
    UPDATE sqlite_schema SET sql = 'CREATE INDEX films_index ON films (libsql_vector_idx(vector))'
    WHERE name = 'films_index';
    PRAGMA writable_schema = OFF;
    """

  @Test func `tables of modules that are not here are neither records nor tracked`() throws {
    let database = try IndexedDatabase(Self.schema)
    let own = ["book_info", "book_loan", "books", "films", "films_cover", "vn_notes"]
    let store = try StoreFile.open(database.path)
    #expect(store.layout.entities.map(\.entity.name) == own)
    #expect(
      store.remarks == [
        "the index films_index is left out: it is a vector index of libSQL, "
          + "and the tables films_index_shadow and libsql_vector_meta_shadow belong to it",
        "the table book is left out: its module shelves is not here, and the table book_data belongs to it",
        "the table f is left out: it is a virtual table, such as an index of another table",
        "the table vn is left out: its module vec0 is not here, "
          + "and the tables vn_chunks, vn_info, vn_metadatatext00, vn_rowids and vn_vector_chunks00 belong to it",
      ])
    try database.update()
    #expect(try database.hits("heron") == ["book_info/lilac", "book_loan/1", "books/1", "films/1"])
    #expect(try database.isEqual)
    #expect(try Attachment.attach(database.path, isDryRun: true).tables == own)
  }
}
