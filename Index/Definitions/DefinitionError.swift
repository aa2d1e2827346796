// SPDX-License-Identifier: MIT

/// An error in an index definition with its location, such as `entities.Movie.fields[2].weight`.
package struct DefinitionError: Error, CustomStringConvertible, Sendable {
  package let location: String
  package let reason: String

  package init(_ location: String, _ reason: String) {
    self.location = location
    self.reason = reason
  }

  package var description: String { location.isEmpty ? reason : "\(location): \(reason)" }
}

extension DefinitionError {
  /// Translates an error of the JSON decoder.
  package init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(Self.location(context.codingPath), "the key \(key.stringValue) is missing")
    case .typeMismatch(let type, let context):
      self.init(Self.location(context.codingPath), "\(Self.word(type)) is needed")
    case .valueNotFound(let type, let context):
      self.init(Self.location(context.codingPath), "\(Self.word(type)) is needed")
    case .dataCorrupted(let context):
      let cause = context.underlyingError.map { " \($0)" } ?? ""
      self.init(Self.location(context.codingPath), context.debugDescription + cause)
    @unknown default: self.init("", String(describing: error))
    }
  }

  private static func location(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : "." + key.stringValue
      }
    }
  }

  private static func word(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Int.Type: "a whole number"
    case is Bool.Type: "true or false"
    case is any Collection.Type: "an array or object"
    default: "another kind of value"
    }
  }
}
