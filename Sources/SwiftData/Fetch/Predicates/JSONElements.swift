// SPDX-License-Identifier: MIT

internal import SQLite

extension Scalar {
  /// Of a column with JSON: the stored property of a structure that a key path reads; nil if the JSON may have other keys
  /// than the structure has properties.
  func element(at keyPath: AnyKeyPath) -> Term? {
    guard !isCoded, let codable = type as? any Codable.Type, let coder = CoderFactory.structure(codable),
      let element = coder.element(of: keyPath)
    else { return nil }
    let isNullable = isNullable || Swift.type(of: keyPath).valueType is any OptionalProtocol.Type
    let (json, path) = ("CAST(\(sql) AS TEXT)", Value.text("$.\"\(coder.columns[element.index].name)\"").literal)
    func made(_ sql: String) -> Scalar { Scalar(sql, element.type, isNullable: isNullable, reads: reads) }
    // SQLite would round some numbers otherwise than Swift.
    if element.type == Double.self { return .scalar(made("json_number(\(json) -> \(path))")) }
    return Scalar.jsonTerm(made("json_extract(\(json), \(path))"))
  }

  /// A value that was read from JSON.
  static func jsonTerm(_ value: Scalar) -> Term {
    if RowsTerm.comparable(value.type) != nil { return .scalar(value) }
    guard ConstantValue.Shape(value.type) != nil else { return .json(value) }
    var value = value
    value.refusal =
      "a \(value.type) that is stored as JSON has no SQL: only text, integers and booleans are compared there"
    return .scalar(value)
  }
}
