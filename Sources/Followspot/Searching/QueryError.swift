/// What is wrong with a query, and where.
package struct QueryError: Error, CustomStringConvertible, Sendable {
  package let message: String
  package let query: String
  /// Offset of the place in characters; nil where it is the whole query.
  package let place: Int?
  /// What a person may do.
  package let hint: String?

  package init(_ message: String, query: String, place: Int?, hint: String? = nil) {
    self.message = message
    self.query = query
    self.place = place
    self.hint = hint
  }

  package var description: String { message }

  private static func isOnePlace(_ character: Character) -> Bool {
    !character.isNewline && !character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The query on one line and a caret under the place; nil where there is no place.
  package var marked: String? {
    guard let place else { return nil }
    let start = max(0, place - 60)
    let shown = query.dropFirst(start).prefix(100).map { Self.isOnePlace($0) ? $0 : " " }
    return "  " + String(shown) + "\n  " + String(repeating: " ", count: place - start) + "^"
  }
}
