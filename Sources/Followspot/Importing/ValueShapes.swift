// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import SQLite
internal import SearchIndex
package import Store

/// Converts imported values to the types of attributes, and infers types from values.
package struct ValueShapes {
  private let connection: Connection

  package init() throws { connection = try Connection(path: ":memory:", access: .create) }

  func isArrayOfStrings(_ json: String) throws -> Bool {
    guard json.hasPrefix("[") else { return false }
    let statement = try connection.statement("SELECT NOT EXISTS (SELECT 1 FROM json_each(?1) WHERE type <> 'text')")
    defer { statement.reset() }
    try statement.bind(json, at: 1)
    return try statement.step() && statement.integer(at: 0) == 1
  }

  /// Decodes a JSON array of strings.
  func strings(_ json: String) throws -> [String] {
    try JSONDecoder().decode([String].self, from: Data(json.utf8))
  }

  /// Minifies JSON text; nil if the text is not valid JSON.
  func json(_ text: String) throws -> String? {
    let statement = try connection.statement("SELECT CASE WHEN json_valid(?1) THEN json(?1) END")
    defer { statement.reset() }
    try statement.bind(text, at: 1)
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.text(at: 0)
  }

  /// Parses a JSON text as a value of a record; nil if it is not valid JSON.
  package func field(json text: String) throws -> FieldValue? {
    guard let json = try json(text) else { return nil }
    if json.hasPrefix("{") || json.hasPrefix("[") { return .json(json) }
    if json.hasPrefix("\"") { return (try? JSONDecoder().decode(String.self, from: Data(json.utf8))).map { .text($0) } }
    switch json {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: return Int64(json).map { .integer($0) } ?? Double(json).flatMap { $0.isFinite ? .real($0) : nil }
    }
  }

  /// Converts `value` to the form in which the attribute stores it.
  ///
  /// - Throws: `StoreError.invalidValue` with the reason.
  package func fit(_ value: FieldValue, _ attribute: AttributeDescription) throws -> Value {
    if value == .null { return try null(attribute) }
    if case .cell(let text) = value { return try fit(cell: text, attribute) }
    switch (attribute.type, value) {
    case (.string, .text(let text)), (.url, .text(let text)): return .text(text)
    case (.string, .integer(let number)): return .text(String(number))
    case (.string, .real(let number)): return .text("\(number)")
    case (.string, .bool(let truth)): return .text(truth ? "true" : "false")
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)):
      guard attribute.type.integerRange?.contains(number) == true else { break }
      return .integer(number)
    case (.double, .integer(let number)), (.float, .integer(let number)): return .real(Double(number))
    case (.double, .real(let number)), (.float, .real(let number)): return .real(number)
    case (.decimal, .integer(let number)): return .integer(number)
    case (.decimal, .real(let number)): return .real(number)
    case (.decimal, .text(let text)): if let number = DecimalNumber.value(text) { return number }
    case (.boolean, .bool(let truth)): return .integer(truth ? 1 : 0)
    case (.date, .text(let text)): if let seconds = DateText.parse(text) { return .real(seconds) }
    case (.uuid, .text(let text)):
      if let uuid = UUID(uuidString: text) { return .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) }) }
    case (.data, .text(let text)): if let data = Data(base64Encoded: text) { return .blob(Array(data)) }
    case (.strings, .json(let json)): if try isArrayOfStrings(json) { return .blob(Array(json.utf8)) }
    case (.json, _): return .blob(Array(Self.json(of: value).utf8))
    default: break
    }
    throw misfit(value, attribute)
  }

  /// Converts a value of a file. A blank cell becomes null, unless the attribute is a text.
  func fit(imported value: FieldValue, _ attribute: AttributeDescription) throws -> Value {
    try fit(value.isBlankCell && attribute.type != .string ? .null : value, attribute)
  }

  private func null(_ attribute: AttributeDescription) throws -> Value {
    guard attribute.isOptional else {
      throw StoreError(.invalidValue, "\(attribute.name) needs a value")
    }
    return .null
  }

  private func fit(cell whole: String, _ attribute: AttributeDescription) throws -> Value {
    let text = attribute.type == .string ? whole : whole.trimmed
    let typed: FieldValue? =
      switch attribute.type {
      case .string, .url, .date, .uuid, .data, .decimal: .text(text)
      case .integer16, .integer32, .integer64: Self.integer(text).map { .integer($0) }
      case .double, .float: Self.integer(text).map { .integer($0) } ?? Self.real(text).map { .real($0) }
      case .boolean: Self.bool(text).map { .bool($0) }
      case .strings: try json(text).map { .json($0) }
      case .json: try field(json: text) ?? .text(text)
      }
    guard let typed else { throw misfit(.cell(text), attribute) }
    return try fit(typed, attribute)
  }

  private func misfit(_ value: FieldValue, _ attribute: AttributeDescription) -> StoreError {
    return StoreError(.invalidValue, "\(attribute.name) takes \(Self.word(attribute.type)), not \(Self.shown(value))")
  }

  /// Whether an attribute of the type accepts the value.
  func fits(_ value: FieldValue, _ type: AttributeType) throws -> Bool {
    do {
      _ = try fit(value, AttributeDescription("", type, isOptional: true))
      return true
    } catch let error as StoreError where error.code == .invalidValue {
      return false
    }
  }

  /// A value as messages show it.
  static func shown(_ value: FieldValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let truth): "\(truth)"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text), .cell(let text): "'\(text.prefix(40))'"
    case .json: "an array or object"
    }
  }

  static func word(_ type: AttributeType) -> String {
    switch type {
    case .string: "a text"
    case .integer16, .integer32, .integer64: "a whole number (\(type.rawValue))"
    case .double, .float: "a number"
    case .decimal: "a decimal number of at most 38 digits"
    case .boolean: "true or false"
    case .date: "a date such as 1995-11-22"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .data: "Base64"
    case .strings: "an array of strings"
    case .json: "a JSON value"
    }
  }

  private static func json(of value: FieldValue) -> String {
    var writer = JSONWriter()
    switch value {
    case .null: writer.null()
    case .bool(let truth): writer.bool(truth)
    case .integer(let number): writer.integer(number)
    case .real(let number): writer.number(number)
    case .text(let text), .cell(let text): writer.string(text)
    case .json(let json): writer.raw(json)
    }
    return writer.text
  }

  // MARK: Shapes

  /// The shape of a value that is not null.
  func shape(of value: FieldValue) throws -> Column.Shape {
    switch value {
    case .null: return .text
    case .bool: return .bool
    case .integer: return .integer
    case .real: return .real
    case .json(let json): return try isArrayOfStrings(json) ? .strings : .json
    case .text(let text): return DateText.parse(text) != nil ? .date : .text
    case .cell(let whole):
      let text = whole.trimmed
      if Self.integer(text) != nil { return .integer }
      if Self.real(text) != nil { return .real }
      if Self.bool(text) != nil { return .bool }
      if DateText.parse(text) != nil { return .date }
      return Self.otherShape(text)
    }
  }

  /// The shape of a text that is a number or a date in another form than the column.
  private static func otherShape(_ text: String) -> Column.Shape {
    if isCode(text) { return .code }
    guard let format = CellFormat.all.first(where: { $0.standard(text) != nil }) else { return .text }
    return format.isNumber ? .markedNumber : .otherDate
  }

  /// Whether the text is digits with a leading zero, such as a postal code or an identifier.
  static func isCode(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    return text != "0" && digits.first == 0x30 && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  static func integer(_ value: FieldValue) -> Int64? {
    switch value {
    case .integer(let number): number
    case .cell(let text): integer(text.trimmed)
    default: nil
    }
  }

  // MARK: Cells

  /// Parses an integer without leading zeros.
  static func integer(_ text: String) -> Int64? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      first != 0x30 || digits.utf8.count == 1, text != "-0"
    else { return nil }
    return Int64(text)
  }

  /// Parses a number with a decimal point or exponent, without leading zeros.
  static func real(_ text: String) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (0x30...0x39).contains(first), let last = digits.utf8.last,
      (0x30...0x39).contains(last),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2e, 0x65, 0x45, 0x2b, 0x2d].contains($0) })
    else { return nil }
    let whole = digits.prefix { $0.isNumber }
    guard whole == "0" || !whole.hasPrefix("0"), digits.count > whole.count else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  static func bool(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
  }
}
