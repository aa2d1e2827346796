// SPDX-License-Identifier: MIT

internal import SQLite

/// A value of a type of fixed columns, which is not a model class.
struct RecordTerm {
  /// One property in a column.
  struct Column {
    let sql: String
    /// Without its optional.
    let type: Any.Type
    let isNullable: Bool
    /// The column of a captured value; nil for one that no row can hold.
    let value: (Any) throws -> Value?

    init<Content: ColumnValue>(_ sql: String, _ type: Content.Type, isNullable: Bool = false) {
      self.init(sql, type, isNullable: isNullable) { ($0 as? Content)?.column }
    }

    init(_ sql: String, _ type: Any.Type, isNullable: Bool = false, value: @escaping (Any) throws -> Value?) {
      self.sql = sql
      self.type = type
      self.isNullable = isNullable
      self.value = value
    }

    var scalar: Scalar {
      var scalar = Scalar(sql, type, isNullable: isNullable)
      scalar.value = value
      return scalar
    }
  }

  var columns: [AnyKeyPath: Column] = [:]
  /// Properties that have properties of their own.
  var records: [AnyKeyPath: RecordTerm] = [:]
  var collections: [AnyKeyPath: RowsTerm] = [:]
  /// The column of the whole value; nil if only its properties can be compared.
  var whole: Column?

  func property(at keyPath: AnyKeyPath) -> Term? {
    if let column = columns[keyPath] { return .scalar(column.scalar) }
    return records[keyPath].map(Term.record) ?? collections[keyPath].map(Term.rows)
  }
}
