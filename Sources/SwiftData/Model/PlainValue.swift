// SPDX-License-Identifier: MIT

internal import SQLite

/// A type whose values are stored in one column as they stand.
///
/// Model classes read and write such values by their type: the code for any type takes several times as long.
public protocol _PlainValue: Codable {
  /// The value of a property.
  static func _get(at index: Int, of state: _ModelState) -> Self
  /// Sets the value of a property of `model`; nil in an initialiser.
  static func _set(_ value: Self, at index: Int, in state: _ModelState, of model: (any PersistentModel)?)
}

/// The accessors of every type of column. Public, because they satisfy a public protocol.
extension ColumnValue {
  /// The value of a property, without its coder where that would do the same.
  @inline(__always)
  public static func _get(at index: Int, of state: _ModelState) -> Self {
    if !state.isFault, state.type.isPlain[index], case .column(let column) = state.slots[index],
      let content = Self(column: column)
    {
      return content
    }
    return state.value(at: index)
  }

  /// Sets the value of a property of `model`; nil in an initialiser.
  @inline(__always)
  public static func _set(_ value: Self, at index: Int, in state: _ModelState, of model: (any PersistentModel)?) {
    guard state.type.isPlain[index] else { return state.set(value, at: index, of: model) }
    state.willChange(index, of: model)
    state.slots[index] = .column(value.column)
  }
}

/// An integer column.
extension Int: _PlainValue {}
/// A floating-point column.
extension Double: _PlainValue {}
/// A floating-point column.
extension Float: _PlainValue {}
/// An integer column of 0 and 1.
extension Bool: _PlainValue {}
/// A text column.
extension String: _PlainValue {}
/// A column of seconds since 2001.
extension Date: _PlainValue {}
/// A BLOB column of 16 bytes.
extension UUID: _PlainValue {}
/// A BLOB column.
extension Data: _PlainValue {}
/// The column of the wrapped value; NULL for nil.
extension Optional: _PlainValue where Wrapped: _PlainValue {
  /// The value of a property.
  public static func _get(at index: Int, of state: _ModelState) -> Self {
    guard !state.isFault, state.type.isPlain[index], case .column(let column) = state.slots[index] else {
      return state.value(at: index)
    }
    if case .null = column { return nil }
    return Wrapped._get(at: index, of: state)
  }
  /// Sets the value of a property of `model`; nil in an initialiser.
  public static func _set(_ value: Self, at index: Int, in state: _ModelState, of model: (any PersistentModel)?) {
    if state.type.isPlain[index], let value {
      Wrapped._set(value, at: index, in: state, of: model)
    } else {
      state.set(value, at: index, of: model)
    }
  }
}
