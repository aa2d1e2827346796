// SPDX-License-Identifier: MIT

/// Any optional, whatever it holds.
protocol OptionalProtocol {
  static var wrappedType: Any.Type { get }
  var wrappedValue: Any? { get }
}

extension Optional: OptionalProtocol {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrappedValue: Any? { self }
}

enum OptionalTypes {
  /// `String` for `Optional<String>`; any other type itself.
  static func unwrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalProtocol.Type)?.wrappedType ?? type }
}
