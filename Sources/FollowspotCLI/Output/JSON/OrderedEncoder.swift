// SPDX-License-Identifier: MIT

internal import Indexing
internal import ShellInterface

/// Encodes values with a `JSONWriter`: keys in the order of the properties, nil as null, and as few escapes as
/// possible. Foundation's encoder orders keys by hash or by name, and omits nil.
///
/// Keyed and unkeyed containers are closed when `encode(to:)` of their value returns; nested containers are not used.
final class OrderedEncoder: Encoder {
  /// The output that all encoders of one document share.
  fileprivate final class Output { var writer = JSONWriter() }

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private let output: Output
  private var bracket: JSONWriter.Bracket?

  private init(_ output: Output) { self.output = output }

  /// The value as one line of JSON, without a line feed.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let output = Output()
    try write(value, to: output)
    return output.writer.bytes
  }

  fileprivate static func write<Value: Encodable>(_ value: Value, to output: Output) throws {
    switch value {
    case let value as JSONFragment: try value.write(&output.writer)
    case let value as String: output.writer.string(value)
    case let value as Bool: output.writer.bool(value)
    case let value as Double: output.writer.number(value)
    case let value as any BinaryInteger: output.writer.integer(value)
    default:
      let encoder = OrderedEncoder(output)
      try value.encode(to: encoder)
      if let bracket = encoder.bracket { output.writer.close(bracket) }
    }
  }

  private func open(_ bracket: JSONWriter.Bracket) {
    output.writer.open(bracket)
    self.bracket = bracket
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    open(.object)
    return KeyedEncodingContainer(Members(output: output))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    open(.array)
    return Elements(output: output)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(output: output) }

  // MARK: Containers

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: Output
    let codingPath: [any CodingKey] = []

    mutating func encodeNil(forKey key: Key) {
      output.writer.key(key.stringValue)
      output.writer.null()
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      output.writer.key(key.stringValue)
      try OrderedEncoder.write(value, to: output)
    }

    // The protocol's default implementations for these types omit nil.
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNull(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNull(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNull(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNull(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNull(value, key) }
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
      try encodeOrNull(value, key)
    }

    private mutating func encodeOrNull<Value: Encodable>(_ value: Value?, _ key: Key) throws {
      if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func nestedContainer<Nested>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { OrderedEncoder.refuse() }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { OrderedEncoder.refuse() }
    mutating func superEncoder() -> any Encoder { OrderedEncoder.refuse() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { OrderedEncoder.refuse() }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let output: Output
    let codingPath: [any CodingKey] = []
    private(set) var count = 0

    init(output: Output) { self.output = output }

    mutating func encodeNil() { output.writer.null() }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
      count += 1
      try OrderedEncoder.write(value, to: output)
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      OrderedEncoder.refuse()
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { OrderedEncoder.refuse() }
    mutating func superEncoder() -> any Encoder { OrderedEncoder.refuse() }
  }

  private struct Single: SingleValueEncodingContainer {
    let output: Output
    let codingPath: [any CodingKey] = []

    mutating func encodeNil() { output.writer.null() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try OrderedEncoder.write(value, to: output) }
  }

  fileprivate static func refuse() -> Never { fatalError("documents of the command line nest values, not containers") }
}

/// A part of a document that is written directly: members with names from the user's data, or rows of a search.
struct JSONFragment: Encodable {
  let write: (inout JSONWriter) throws -> Void

  init(_ write: @escaping (inout JSONWriter) throws -> Void) { self.write = write }

  /// An object whose keys are field names, in this order.
  static func members<Value>(
    _ members: [Value], _ write: @escaping (Value, inout JSONWriter) throws -> Void
  ) -> JSONFragment {
    JSONFragment { json in try json.object { json in for member in members { try write(member, &json) } } }
  }

  /// A score with the same digits as in the format `text`.
  static func score(_ score: Double) -> JSONFragment { JSONFragment { $0.raw(FieldSelector.score(score)) } }

  func encode(to encoder: any Encoder) throws { OrderedEncoder.refuse() }
}

extension Console {
  /// Writes one line of JSON.
  static func write(json value: some Encodable) throws {
    write(bytes: try OrderedEncoder.encode(value) + [0x0a])
  }
}
