// SPDX-License-Identifier: MIT

import SQLite
import TestSupport

/// A random library: authors, books and tags. Its references are declared or not, and have an index or not. There are more
/// rows than are scanned before references are copied.
struct RandomLibrary {
  static let words = ["amber", "birch", "cobalt", "delta"]

  private var random: SeededGenerator
  private let connection: Connection
  private let hasTextKeys: Bool
  private var next = 0

  init(seed: Int, _ connection: Connection) throws {
    random = SeededGenerator(seed: seed)
    self.connection = connection
    hasTextKeys = Int.random(in: 0..<4, using: &random) == 0
    let type = hasTextKeys ? "TEXT" : "INTEGER"
    let id = "id \(type) PRIMARY KEY"
    let rowid = pick(["", " WITHOUT ROWID"])
    func reference(_ column: String, _ table: String, _ declaration: String) -> String {
      "\(column) \(type)" + (declaration.isEmpty ? "" : " REFERENCES \(table)(id)")
    }
    let (first, second, third) = (pick(["", "", "declared"]), pick(["", "", "declared"]), pick(["", "", "declared"]))
    try connection.execute(
      """
      CREATE TABLE authors (\(id), name TEXT); CREATE TABLE tags (\(id), name TEXT)\(rowid);
      CREATE TABLE books (\(id), title TEXT, \(reference("author_id", "authors", first)));
      CREATE TABLE book_tags (\(reference("book_id", "books", second)), \(reference("tag_id", "tags", third))
      \(pick(["", "", ", PRIMARY KEY (book_id, tag_id)"])));
      """)
    for index in ["books(author_id)", "book_tags(book_id)", "book_tags(tag_id)"] where pick([true, false, false]) {
      try connection.execute("CREATE INDEX \"by \(index)\" ON \(index)")
    }
    for _ in 0..<Int.random(in: 12...30, using: &random) {
      next += 1
      for table in ["authors", "tags"] {
        try connection.execute("INSERT INTO \(table) VALUES (\(key(next)), \(name()))")
      }
      try addBook()
    }
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element { choices.randomElement(using: &random)! }
  private mutating func word() -> String { pick(Self.words) }
  private mutating func name() -> String { "'\(word()) \(word())'" }
  private func key(_ number: Int) -> String { hasTextKeys ? "'k\(number)'" : "\(number)" }

  /// The key of a row; all references lead to rows.
  private mutating func existing(_ table: String) throws -> String {
    let numbers = try connection.mapRows("SELECT id FROM \(table) ORDER BY 1") { $0.text(at: 0) }
    return hasTextKeys ? "'\(pick(numbers))'" : pick(numbers)
  }

  private mutating func addBook() throws {
    let author = Int.random(in: 0..<6, using: &random) == 0 ? "NULL" : try existing("authors")
    try connection.execute("INSERT INTO books VALUES (\(key(next)), \(name()), \(author))")
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      try connection.execute("INSERT OR IGNORE INTO book_tags VALUES (\(key(next)), \(existing("tags")))")
    }
  }

  mutating func step() throws {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      next += 1
      try addBook()
    case 2: try connection.execute("UPDATE authors SET name = \(name()) WHERE id = \(existing("authors"))")
    case 3: try connection.execute("UPDATE tags SET name = \(name()) WHERE id = \(existing("tags"))")
    case 4:
      try connection.execute("UPDATE books SET author_id = \(existing("authors")) WHERE id = \(existing("books"))")
    case 5: try connection.execute("INSERT OR IGNORE INTO book_tags VALUES (\(existing("books")), \(existing("tags")))")
    default:
      let book = try existing("books")
      try connection.execute("DELETE FROM book_tags WHERE book_id = \(book); DELETE FROM books WHERE id = \(book)")
    }
  }

  /// The records that have a word in their titles, or in those of what they belong to, as plain SQL finds them.
  func records(_ word: String) throws -> [String] {
    func has(_ column: String) -> String { "' ' || \(column) || ' ' LIKE '% \(word) %'" }
    return try connection.mapRows(
      """
      SELECT 'authors/' || id FROM authors WHERE \(has("name"))
      UNION SELECT 'books/' || b.id FROM books b LEFT JOIN authors a ON a.id = b.author_id
        LEFT JOIN book_tags l ON l.book_id = b.id LEFT JOIN tags t ON t.id = l.tag_id
        WHERE \(has("b.title")) OR \(has("a.name")) OR \(has("t.name"))
      UNION SELECT 'tags/' || t.id FROM tags t LEFT JOIN book_tags l ON l.tag_id = t.id
        LEFT JOIN books b ON b.id = l.book_id WHERE \(has("t.name")) OR \(has("b.title"))
      """
    ) { $0.text(at: 0) }.sorted()
  }
}
