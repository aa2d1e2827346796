// SPDX-License-Identifier: MIT

public import FoundationEssentials
internal import SQLite
internal import SearchIndex
internal import Store

/// The value of an attribute as stored.
public enum AttributeValue: Hashable, Sendable {
  /// A text or URL.
  case text(String)
  /// An integer of any width.
  case integer(Int64)
  /// A `Double` or `Float`.
  case real(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// True or false.
  case boolean(Bool)
  /// A point in time.
  case date(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// Bytes.
  case data(Data)
  /// An array of texts.
  case texts([String])
  /// Another `Codable` value, as JSON.
  case json(Data)
}

extension AttributeValue {
  /// nil if there is no value.
  init?(_ value: Value, as type: AttributeType) {
    switch (type, value) {
    case (_, .null): return nil
    case (.boolean, .integer(let number)): self = .boolean(number != 0)
    case (.date, .integer(let seconds)): self = .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .real(let seconds)): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.decimal, .integer(let number)): self = .decimal(Decimal(number))
    case (.decimal, _):
      // The shortest text of a floating-point number is the decimal number that was stored.
      self = Decimal(string: ValueText.plain(value, as: type)).map(AttributeValue.decimal) ?? .text("\(value)")
    case (.double, .integer(let number)), (.float, .integer(let number)): self = .real(Double(number))
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      self = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case (.strings, .blob(let bytes)):
      let json = Data(bytes)
      self = (try? JSONDecoder().decode([String].self, from: json)).map(AttributeValue.texts) ?? .json(json)
    case (.json, .blob(let bytes)): self = .json(Data(bytes))
    case (_, .integer(let number)): self = .integer(number)
    case (_, .real(let number)): self = .real(number)
    case (_, .text(let text)): self = .text(text)
    case (_, .blob(let bytes)): self = .data(Data(bytes))
    }
  }
}

extension EntityLayout {
  /// The attributes that have a value, by name.
  ///
  /// - Parameter values: By attribute index.
  func fields(_ values: [Value]) -> [String: AttributeValue] {
    let known = zip(entity.attributes, values).compactMap { attribute, value in
      AttributeValue(value, as: attribute.type).map { (attribute.name, $0) }
    }
    return Dictionary(uniqueKeysWithValues: known)
  }
}
