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
