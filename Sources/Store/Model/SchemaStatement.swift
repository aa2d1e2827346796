// SPDX-License-Identifier: MIT

/// A statement that creates a table or an index.
struct SchemaStatement: Equatable {
  enum Kind: Equatable {
    case table
    /// An index with its quoted name.
    case index(String)
  }

  let kind: Kind
  let sql: String
  /// The constraint that a unique index enforces; nil for other indexes.
  var constraint: UniqueConstraint?

  var isTable: Bool { kind == .table }

  static func table(_ sql: String) -> SchemaStatement { SchemaStatement(kind: .table, sql: sql) }
}
