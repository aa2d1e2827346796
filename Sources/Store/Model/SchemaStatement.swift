// SPDX-License-Identifier: MIT

/// A statement that creates a table or an index.
package struct SchemaStatement: Equatable {
  package enum Kind: Equatable {
    case table
    /// An index with its quoted name.
    case index(String)
  }

  package let kind: Kind
  package let sql: String
  /// The constraint that a unique index enforces; nil for other indexes.
  package var constraint: UniqueConstraint?

  package var isTable: Bool { kind == .table }

  static func table(_ sql: String) -> SchemaStatement { SchemaStatement(kind: .table, sql: sql) }
}
