// SPDX-License-Identifier: MIT

package import SQLite

package struct AttributeDescription: Sendable, Equatable {
  package enum Option: String, Codable, Sendable {
    /// The value is unique among all rows; SwiftData's `.unique`.
    case unique
    /// The value is kept in the history's tombstone; SwiftData's `.preserveValueOnDeletion`.
    case preserveValueOnDeletion
    /// Intended for full-text search; SwiftData's `.spotlight`.
    case spotlight
    /// Large data is stored in a file beside the store; SwiftData's `.externalStorage`.
    case externalStorage
  }

  package var name: String
  package var type: AttributeType
  package var isOptional: Bool
  package var defaultValue: Value?
  package var options: [Option]
  /// The name in the earlier model, if it was renamed.
  package var originalName: String?
  /// Changes the model's digest although nothing else changes; SwiftData's `hashModifier`.
  var modifier: String?

  package init(
    _ name: String, _ type: AttributeType, isOptional: Bool = false, defaultValue: Value? = nil,
    options: [Option] = [], originalName: String? = nil, modifier: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.options = options
    self.originalName = originalName
    self.modifier = modifier
  }

  package var isUnique: Bool { options.contains(.unique) }
  package var isPreservedOnDeletion: Bool { options.contains(.preserveValueOnDeletion) }
  package var isExternal: Bool { options.contains(.externalStorage) }
  package var isSpotlight: Bool { options.contains(.spotlight) }
}

extension AttributeDescription: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, type, optional, `default`, options, originalName, modifier
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(ofNothingBut: Key.self)
    name = try container.decode(String.self, forKey: .name)
    type = try container.decode(AttributeType.self, forKey: .type)
    isOptional = try container.decodeIfPresent(Bool.self, forKey: .optional) ?? false
    options = try container.decodeIfPresent([Option].self, forKey: .options) ?? []
    defaultValue = try container.decodeIfPresent(CodableValue.self, forKey: .default)?.value
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
    modifier = try container.decodeIfPresent(String.self, forKey: .modifier)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(type, forKey: .type)
    if isOptional { try container.encode(true, forKey: .optional) }
    if !options.isEmpty { try container.encode(options, forKey: .options) }
    if let defaultValue { try container.encode(CodableValue(value: defaultValue), forKey: .default) }
    try container.encodeIfPresent(originalName, forKey: .originalName)
    try container.encodeIfPresent(modifier, forKey: .modifier)
  }
}

/// A stored value in the model's JSON: `{"integer": 5}`, `{"text": "x"}`, `{"blob": [1, 2]}` or `{}` for NULL.
private struct CodableValue: Codable {
  let value: Value

  private enum Key: String, CodingKey { case integer, real, text, blob }

  init(value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let number = try container.decodeIfPresent(Int64.self, forKey: .integer) {
      value = .integer(number)
    } else if let number = try container.decodeIfPresent(Double.self, forKey: .real) {
      value = .real(number)
    } else if let text = try container.decodeIfPresent(String.self, forKey: .text) {
      value = .text(text)
    } else if let bytes = try container.decodeIfPresent([UInt8].self, forKey: .blob) {
      value = .blob(bytes)
    } else {
      value = .null
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch value {
    case .null: break
    case .integer(let number): try container.encode(number, forKey: .integer)
    case .real(let number): try container.encode(number, forKey: .real)
    case .text(let text): try container.encode(text, forKey: .text)
    case .blob(let bytes): try container.encode(bytes, forKey: .blob)
    }
  }
}
