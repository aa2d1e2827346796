// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// How the values of one property become columns, and back. One object for each property of a class.
class ValueCoder {
  /// One column of the property; several where it is a composite.
  struct Column {
    let name: String
    let type: AttributeType
    let isOptional: Bool
  }

  let valueType: Any.Type
  /// Empty for what is not stored.
  let columns: [Column]

  var plainStorage: PlainStorage { .none }

  /// Whether the value is stored in one column as it stands.
  var isPlain: Bool { false }

  /// The types of what the columns hold.
  var elementTypes: [Any.Type] { [valueType] }

  /// Whether the value may be in a file of its own.
  var isExternal: Bool { false }

  init(_ valueType: Any.Type, columns: [Column]) {
    self.valueType = valueType
    self.columns = columns
  }

  /// Whether a slot of columns cannot be decoded. Data in a file is not read for it.
  func refuses(_ slot: Slot) -> Bool { fatalError("a coder says what it refuses") }

  /// The columns of a slot.
  ///
  /// - Throws: What the value's own `encode(to:)` throws.
  func encoded(_ slot: Slot) throws -> [Value] { fatalError("a coder encodes") }

  /// Of a structure in columns of its own: the column of the stored property that a key path reads, and its type.
  func element(of keyPath: AnyKeyPath) -> (index: Int, type: Any.Type)? { nil }
  func element(of part: KeyPathParts.Part) -> (index: Int, type: Any.Type)? { nil }

  func slot(any value: Any) -> Slot? { fatalError("a coder takes values") }
  func any(_ slot: inout Slot) throws -> Any { fatalError("a coder gives values") }

  /// The slot for the columns of a row.
  func slot(columns values: [Value]) -> Slot { values.count == 1 ? .column(values[0]) : .columns(values) }
}

/// A stored value that is not of its property's type.
struct UndecodableValue: Error, CustomStringConvertible {
  let type: Any.Type
  var description: String { "the stored value is not of type \(type)" }
}

class TypedCoder<Content>: ValueCoder {
  func slot(_ value: Content) -> Slot { fatalError("a coder takes values") }
  func decode(_ slot: inout Slot) throws -> Content { fatalError("a coder gives values") }

  override func slot(any value: Any) -> Slot? { (value as? Content).map(slot) }
  override func any(_ slot: inout Slot) throws -> Any { try decode(&slot) }

  override func refuses(_ slot: Slot) -> Bool {
    var slot = slot
    return (try? decode(&slot)) == nil
  }

  override func encoded(_ slot: Slot) throws -> [Value] {
    switch slot {
    case .column(let value): [value]
    case .columns(let values): values
    default: columns.map { _ in .null }
    }
  }
}

/// Values that are stored as they stand.
final class ScalarCoder<Content: ColumnValue>: TypedCoder<Content> {
  init(name: String, isOptional: Bool) {
    super.init(Content.self, columns: [Column(name: name, type: Content.columnType, isOptional: isOptional)])
  }

  override var isPlain: Bool { true }
  override var plainStorage: PlainStorage { Content.plainStorage }

  override func slot(_ value: Content) -> Slot { .column(value.column) }

  override func decode(_ slot: inout Slot) throws -> Content {
    guard case .column(let value) = slot, let content = Content(column: value) else {
      throw UndecodableValue(type: Content.self)
    }
    return content
  }

  override func refuses(_ slot: Slot) -> Bool {
    guard case .column(let value) = slot else { return true }
    return Content(column: value) == nil
  }
}

/// Enumerations and other types with a raw value, stored by it.
final class RawCoder<Content: RawRepresentable, Raw: ColumnValue>: TypedCoder<Content> {
  init(name: String, _ raw: Raw.Type) {
    super.init(Content.self, columns: [Column(name: name, type: Raw.columnType, isOptional: false)])
  }

  override func slot(_ value: Content) -> Slot { .column((value.rawValue as! Raw).column) }

  override func decode(_ slot: inout Slot) throws -> Content {
    guard case .column(let value) = slot, let raw = Raw(column: value) as? Content.RawValue,
      let content = Content(rawValue: raw)
    else { throw UndecodableValue(type: Content.self) }
    return content
  }
}

/// Values that are not stored as they stand: they are decoded once, and encoded when they are saved.
class BoxedCoder<Content>: TypedCoder<Content> {
  /// Decodes the columns of a row.
  func decoded(_ slot: Slot) throws -> Content { throw UndecodableValue(type: Content.self) }
  func encode(_ content: Content) throws -> [Value] { [] }

  override func slot(_ value: Content) -> Slot { .boxed(Box(value)) }

  override func decode(_ slot: inout Slot) throws -> Content {
    if case .boxed(let box) = slot { return unsafeDowncast(box, to: Box<Content>.self).content }
    let content = try decoded(slot)
    slot = .boxed(Box(content))
    return content
  }

  override func encoded(_ slot: Slot) throws -> [Value] {
    guard case .boxed(let box) = slot else { return try super.encoded(slot) }
    return try encode(unsafeDowncast(box, to: Box<Content>.self).content)
  }
}

/// Any Codable value as JSON text in one column.
final class JSONCoder<Content: Codable>: BoxedCoder<Content> {
  init(name: String) {
    let type: AttributeType = Content.self == [String].self ? .strings : .json
    super.init(Content.self, columns: [Column(name: name, type: type, isOptional: false)])
  }

  override func decoded(_ slot: Slot) throws -> Content {
    guard case .column(.blob(let bytes)) = slot else { throw UndecodableValue(type: Content.self) }
    return try JSONText.decode(Content.self, from: bytes)
  }

  override func encode(_ content: Content) throws -> [Value] { [.blob(try JSONText.encode(content))] }
}

/// Values that live as long as their object: `.ephemeral`.
final class EphemeralCoder<Content>: BoxedCoder<Content> {
  init() { super.init(Content.self, columns: []) }

  override func refuses(_ slot: Slot) -> Bool { false }
}

/// Optional values, by the coder of the wrapped ones. All columns of nil are NULL.
final class OptionalCoder<Wrapped>: TypedCoder<Wrapped?> {
  private let wrapped: TypedCoder<Wrapped>

  init(_ wrapped: TypedCoder<Wrapped>) {
    self.wrapped = wrapped
    super.init(
      Wrapped?.self,
      columns: wrapped.columns.map { Column(name: $0.name, type: $0.type, isOptional: true) })
  }

  private func isNil(_ slot: Slot) -> Bool {
    switch slot {
    case .column(.null), .unset: true
    case .columns(let values): values.allSatisfy(\.isNull)
    default: false
    }
  }

  private var nulls: [Value] { columns.map { _ in .null } }

  override var isExternal: Bool { wrapped.isExternal }
  override var elementTypes: [Any.Type] { wrapped.elementTypes }
  override func element(of keyPath: AnyKeyPath) -> (index: Int, type: Any.Type)? { wrapped.element(of: keyPath) }
  override func element(of part: KeyPathParts.Part) -> (index: Int, type: Any.Type)? { wrapped.element(of: part) }
  override func slot(_ value: Wrapped?) -> Slot { value.map(wrapped.slot) ?? slot(columns: nulls) }
  override func decode(_ slot: inout Slot) throws -> Wrapped? { isNil(slot) ? nil : try wrapped.decode(&slot) }
  override func refuses(_ slot: Slot) -> Bool { !isNil(slot) && wrapped.refuses(slot) }
  override func encoded(_ slot: Slot) throws -> [Value] { isNil(slot) ? nulls : try wrapped.encoded(slot) }
}
