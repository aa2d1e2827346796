// SPDX-License-Identifier: MIT

internal import SQLite

/// Captured values as columns hold them.
enum ConstantValue {
  /// How the values of a Swift type stand in one column.
  struct Shape {
    /// The type whose values the column holds: the type itself, or its raw type.
    let column: any ColumnValue.Type
    /// Whether it is kept by its raw value.
    let isRaw: Bool

    /// nil for types that one column does not hold as they stand.
    init?(_ type: Any.Type) {
      if let column = type as? any ColumnValue.Type {
        (self.column, isRaw) = (column, false)
      } else if type == Substring.self || type == Character.self {
        (column, isRaw) = (String.self, false)
      } else if let raw = type as? any RawRepresentable.Type, let column = Self.rawType(raw) as? any ColumnValue.Type {
        (self.column, isRaw) = (column, true)
      } else {
        return nil
      }
    }

    private static func rawType<Content: RawRepresentable>(_ type: Content.Type) -> Any.Type { Content.RawValue.self }
  }

  /// What is in the optionals around a value; nil where one is empty.
  static func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any OptionalProtocol {
      guard let wrapped = optional.wrappedValue else { return nil }
      value = wrapped
    }
    return value
  }

  /// - Throws: `SwiftDataError.unsupportedPredicate` for a value of a type that no column holds as it stands.
  static func column(_ value: Any) throws -> Value {
    guard let value = unwrapped(value) else { return .null }
    switch value {
    case let value as any ColumnValue: return value.column
    case let value as Substring: return .text(String(value))
    case let value as Character: return .text(String(value))
    case let value as any RawRepresentable:
      if let raw = Self.raw(value) as? any ColumnValue { return raw.column }
    default: break
    }
    throw PredicateCompilation.unsupported(
      "a value of \(type(of: value)) cannot be compared with a column: compare its properties")
  }

  private static func raw<Content: RawRepresentable>(_ value: Content) -> Any { value.rawValue }

  static func composed(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
  }

  /// The spellings of a text that Swift takes for equal to it and that text usually has: as it is, composed and
  /// decomposed.
  static func spellings(_ text: String) -> [String] {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [text] }
    var found = [text]
    for other in [text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
    where !found.contains(where: { $0.utf8.elementsEqual(other.utf8) }) {
      found.append(other)
    }
    return found
  }
}
