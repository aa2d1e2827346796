// SPDX-License-Identifier: MIT

internal import SearchIndex

/// A value that can be written as JSON. In an object, nil is null.
protocol JSONValue {
  /// Whether the value is a member of its object.
  var isPresent: Bool { get }
  func write(to json: inout JSONWriter) throws
}

extension JSONValue {
  var isPresent: Bool { true }
}

extension String: JSONValue {
  func write(to json: inout JSONWriter) { json.string(self) }
}

extension Int: JSONValue {
  func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Int64: JSONValue {
  func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Bool: JSONValue {
  func write(to json: inout JSONWriter) { json.bool(self) }
}

extension Double: JSONValue {
  func write(to json: inout JSONWriter) { json.number(self) }
}

extension Array: JSONValue where Element: JSONValue {
  func write(to json: inout JSONWriter) throws {
    try json.array { json in for element in self { try element.write(to: &json) } }
  }
}

/// A member of an object that is left out if it has no value.
struct IfPresent: JSONValue {
  let value: (any JSONValue)?

  init(_ value: (any JSONValue)?) { self.value = value }

  var isPresent: Bool { value != nil }

  func write(to json: inout JSONWriter) throws { try value?.write(to: &json) }
}

/// A value that is written directly, such as the rows of a search.
struct JSONFragment: JSONValue {
  private let body: (inout JSONWriter) throws -> Void

  init(_ body: @escaping (inout JSONWriter) throws -> Void) { self.body = body }

  /// A score with the same digits as in the format `text`.
  static func score(_ score: Double) -> JSONFragment { JSONFragment { $0.raw(ScoreText.of(score)) } }

  func write(to json: inout JSONWriter) throws { try body(&json) }
}

/// An object whose members keep their order.
struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
  private var members: [(name: String, value: (any JSONValue)?)]

  init(members: [(name: String, value: (any JSONValue)?)]) { self.members = members }

  init(dictionaryLiteral elements: (String, (any JSONValue)?)...) { members = elements.map { ($0, $1) } }

  /// A document with the version of its format.
  static func document(_ members: JSONObject) -> JSONObject { ["format": FormatVersion.current] + members }

  static func + (one: JSONObject, other: JSONObject) -> JSONObject {
    JSONObject(members: one.members + other.members)
  }

  func write(to json: inout JSONWriter) throws {
    try json.object { json in
      for (name, value) in members where value?.isPresent ?? true {
        json.key(name)
        if let value { try value.write(to: &json) } else { json.null() }
      }
    }
  }

  var bytes: [UInt8] {
    get throws {
      var json = JSONWriter()
      try write(to: &json)
      return json.bytes
    }
  }

  /// Prints the object as one line.
  func print() throws { Console.write(bytes: try bytes + [0x0a]) }
}

/// Prints objects as they are found: one a line, or as the elements of an array in one document.
struct JSONList {
  /// The formats of lists; only `json` is one document.
  let isDocument: Bool
  private var isFirst = true

  init(isDocument: Bool) { self.isDocument = isDocument }

  /// - Parameters:
  ///   - head: The members before the array.
  ///   - name: The name of the array.
  func begin(_ head: JSONObject, _ name: String) throws {
    guard isDocument else { return }
    Console.write(bytes: try JSONObject.document(head).bytes.dropLast())
    Console.write(",\"\(name)\":[")
  }

  mutating func print(_ object: JSONObject) throws {
    guard isDocument else { return try object.print() }
    if !isFirst { Console.write(",") }
    isFirst = false
    Console.write(bytes: try object.bytes)
  }

  func end() { if isDocument { Console.write(line: "]}") } }
}

/// A score with three decimals.
enum ScoreText {
  static func of(_ score: Double) -> String {
    let thousandths = Int((score * 1000).rounded())
    let digits = String(thousandths.magnitude % 1000)
    return (thousandths < 0 ? "-" : "") + "\(thousandths.magnitude / 1000)."
      + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
