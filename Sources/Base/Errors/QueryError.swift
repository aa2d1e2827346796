// SPDX-License-Identifier: MIT

/// An error in a query, with its position.
package struct QueryError: Error, CustomStringConvertible, Sendable {
  package let message: String
  package let query: String
  /// Offset of the mistake in characters; nil if the error concerns the whole query.
  package let offset: Int?
  /// What makes the query valid; nil if the message is enough.
  package let recovery: Recovery?
  /// The unknown name in the query, as typed; nil for another mistake.
  package var unknownName: String?

  package init(_ message: String, query: String, offset: Int?, recovery: Recovery? = nil) {
    self.message = message
    self.query = query
    self.offset = offset
    self.recovery = recovery
  }

  package var description: String { message }

  private static func isOneColumn(_ character: Character) -> Bool {
    !character.isNewline && !character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The query on one line and a caret under the mistake; nil if there is no offset.
  package var marked: String? {
    guard let offset else { return nil }
    let start = max(0, offset - 60)
    let shown = query.dropFirst(start).prefix(100).map { Self.isOneColumn($0) ? $0 : " " }
    return "  " + String(shown) + "\n  " + String(repeating: " ", count: offset - start) + "^"
  }
}
