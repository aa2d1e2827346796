/// A statement that makes a table, or an index on one.
struct SchemaStatement: Equatable {
  enum Kind: Equatable {
    case table
    /// By its name, quoted.
    case index(String)
  }

  let kind: Kind
  let sql: String
  /// What the index keeps unique.
  var constraint: UniqueConstraint?

  var isTable: Bool { kind == .table }

  static func table(_ sql: String) -> SchemaStatement { SchemaStatement(kind: .table, sql: sql) }
}
