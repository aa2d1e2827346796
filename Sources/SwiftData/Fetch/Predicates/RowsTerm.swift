// SPDX-License-Identifier: MIT

internal import SQLite

/// The rows of a collection inside one subquery.
struct RowSet {
  let from: String
  var conditions: [String]
  let element: Term
}

/// A collection: objects of a relationship, elements of a JSON array or captured values, filtered or not.
struct RowsTerm {
  /// SQL that is true where the collection is not nil; nil where it never is.
  var presence: String?
  /// Aliases are new each time: a collection can be used inside itself.
  let make: (PredicateCompilation) throws -> RowSet

  init(presence: String? = nil, make: @escaping (PredicateCompilation) throws -> RowSet) {
    self.presence = presence
    self.make = make
  }

  /// `SELECT` what `selection` makes of an element, of the rows for which `test` holds.
  func select(
    _ compilation: PredicateCompilation, _ selection: (Term) throws -> String,
    where test: ((Term) throws -> String)? = nil
  ) throws -> String {
    try compilation.subquery {
      let rows = try make(compilation)
      let selected = try selection(rows.element)
      let conditions = try rows.conditions + (test.map { [try $0(rows.element)] } ?? [])
      let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      return "SELECT \(selected) FROM \(rows.from)\(compilation.scope.text)\(condition)"
    }
  }

  /// Whether there is an element for which `test` holds.
  func exists(
    _ compilation: PredicateCompilation, where test: ((Term) throws -> String)? = nil
  ) throws -> Scalar {
    let query = try select(compilation, { _ in "1" }, where: test)
    return Scalar("EXISTS (\(query))", negated: "NOT EXISTS (\(query))")
  }

  func count(_ compilation: PredicateCompilation) throws -> Scalar {
    let selected = "1"
    let query = try select(compilation) { _ in selected }
    let rest = query.dropFirst("SELECT \(selected)".count)
    var count = Scalar("(SELECT count(*)\(rest))", Int.self)
    count.counted = { "(SELECT count(*) FROM (\(query) LIMIT \($0)))" }
    return count
  }

  func filtered(_ test: @escaping (PredicateCompilation, Term) throws -> String) -> RowsTerm {
    let make = make
    return RowsTerm(presence: presence) { compilation in
      var rows = try make(compilation)
      rows.conditions.append(try test(compilation, rows.element))
      return rows
    }
  }

  // MARK: Elements in JSON

  /// The elements of a JSON array in a column; nil for a value of another type.
  init?(json column: Scalar) {
    guard let collection = column.type as? any ElementsProtocol.Type else { return nil }
    let isNullable = collection.elementType is any OptionalProtocol.Type
    let type = OptionalTypes.unwrapped(collection.elementType)
    guard !column.isCoded || Self.comparable(type) != nil else { return nil }
    self.init(presence: column.isNullable ? "(\(column.sql) IS NOT NULL)" : nil) { compilation in
      let alias = compilation.alias()
      return RowSet(
        from: "json_each(CAST(\(column.sql) AS TEXT)) \(alias)", conditions: [],
        element: Scalar.jsonTerm(Scalar("\(alias).value", type, isNullable: isNullable)))
    }
  }

  /// Captured values, nil among them or not; nil for values that JSON cannot carry exactly.
  init?(values: [Value], _ type: Any.Type) {
    guard let json = JSONArray.text(values) else { return nil }
    self.init { compilation in
      let alias = compilation.alias()
      let isNullable = values.contains(where: \.isNull)
      return RowSet(
        from: "json_each(\(compilation.bind(.text(json)))) \(alias)", conditions: [],
        element: .scalar(Scalar("\(alias).value", type, isNullable: isNullable)))
    }
  }

  /// Types whose values SQLite reads from JSON as a column holds them: text, integers and booleans.
  static func comparable(_ type: Any.Type) -> Any.Type? {
    guard let shape = ConstantValue.Shape(type) else { return nil }
    switch shape.column {
    case is String.Type, is Bool.Type: return type
    case is UInt.Type, is UInt64.Type: return nil
    case is any FixedWidthInteger.Type: return type
    default: return nil
    }
  }
}

/// A collection whose elements JSON keeps in an array.
protocol ElementsProtocol {
  static var elementType: Any.Type { get }
  static var countPath: AnyKeyPath { get }
  static var isEmptyPath: AnyKeyPath { get }
}

extension Array: ElementsProtocol {
  static var elementType: Any.Type { Element.self }
  static var countPath: AnyKeyPath { \[Element].count }
  static var isEmptyPath: AnyKeyPath { \[Element].isEmpty }
}

extension Set: ElementsProtocol {
  static var elementType: Any.Type { Element.self }
  static var countPath: AnyKeyPath { \Set<Element>.count }
  static var isEmptyPath: AnyKeyPath { \Set<Element>.isEmpty }
}

/// Values as the text of a JSON array.
enum JSONArray {
  /// nil where a value would not come back from SQLite as it is.
  static func text(_ values: [Value]) -> String? {
    var elements: [String] = []
    elements.reserveCapacity(values.count)
    for value in values {
      switch value {
      case .null: elements.append("null")
      case .integer(let number): elements.append(String(number))
      case .text(let text):
        if text.utf8.contains(0) { return nil }
        elements.append(String(decoding: JSONText.quoted(text), as: UTF8.self))
      case .real, .blob: return nil
      }
    }
    return "[" + elements.joined(separator: ",") + "]"
  }
}

extension Scalar {
  /// A count to be compared with a captured value: one more than that is enough to know.
  func counted(beside value: Any) -> Scalar {
    guard let counted, let limit = ConstantValue.unwrapped(value) as? Int, (0..<Int.max).contains(limit) else {
      return self
    }
    var scalar = self
    (scalar.sql, scalar.counted) = (counted(limit + 1), nil)
    return scalar
  }
}
