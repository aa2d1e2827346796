// SPDX-License-Identifier: MIT

internal import SQLite

/// The values of a key as text: in the order of the key, percent-encoded and joined by `:`, as in `EPSG:4326`.
///
/// Numbers are decimal. Bytes are hexadecimal digits after `0x`, unless the column has the affinity TEXT or a numeric one.
/// A value that would be read as another one has its first character percent-encoded: the text `5` in a column without
/// a type is `%35`.
enum KeyText {
  static func text(_ key: [Value], affinities: [String]) -> String {
    zip(key, affinities).map { component($0, $1) }.joined(separator: ":")
  }

  /// The keys that a text may mean, the most probable first; empty if none has as many values.
  static func keys(_ text: Substring, affinities: [String]) -> [[Value]] {
    let components = text.split(separator: ":", omittingEmptySubsequences: false)
    guard components.count == affinities.count else { return [] }
    var meanings: [[Value]] = []
    for (component, affinity) in zip(components, affinities) {
      guard let decoded = decoded(component) else { return [] }
      let plain = plainMeaning(decoded, affinity)
      let other = otherMeaning(decoded, affinity)
      let ordered = component.hasPrefix("%") ? [other, plain] : [plain, other]
      meanings.append(ordered.compactMap(\.self))
    }
    let first = meanings.map { $0[0] }
    var keys = [first]
    for (index, values) in meanings.enumerated() {
      for value in values.dropFirst() where value != first[index] {
        var key = first
        key[index] = value
        keys.append(key)
      }
    }
    return keys
  }

  /// The values in the beginning of such a text, the last of which may be incomplete; nil if it is not a beginning.
  static func beginning(_ text: Substring) -> [String]? {
    var text = text
    // A percent-encoding that is being typed.
    if let percent = text.suffix(2).firstIndex(of: "%") { text = text[..<percent] }
    let components = text.split(separator: ":", omittingEmptySubsequences: false)
    let values = components.compactMap(decoded)
    return values.count == components.count ? values : nil
  }

  // MARK: Writing

  private static func component(_ value: Value, _ affinity: String) -> String {
    let text =
      switch value {
      case .null: ""
      case .integer(let number): String(number)
      case .real(let number): decimal(number)
      case .text(let text): text
      case .blob(let bytes): "0x" + hexadecimal(bytes)
      }
    return encoded(text, isWhole: plainMeaning(text, affinity) == value)
  }

  private static func decimal(_ number: Double) -> String {
    // As SQLite writes them in SQL.
    if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    return number.description.filter { $0 != "+" }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// - Parameter isWhole: Whether the first character is encoded only where that is necessary.
  private static func encoded(_ text: String, isWhole: Bool) -> String {
    if isWhole, text.utf8.allSatisfy(isReadable) { return text }
    var encoded = ""
    for scalar in text.unicodeScalars {
      if isReadable(scalar), isWhole || !encoded.isEmpty {
        encoded.unicodeScalars.append(scalar)
        continue
      }
      for byte in String(scalar).utf8 {
        encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  /// Letters and digits of all scripts, and the other characters that URLs do not encode.
  private static func isReadable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return isReadable(UInt8(scalar.value)) }
    return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
  }

  private static func isReadable(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  // MARK: Reading

  /// nil if the bytes are not UTF-8, or if a percent sign stands before no number.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = Substring(rest.prefix(2)).hexadecimalByte else { return nil }
      bytes.append(digits)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// What a text in an identifier means.
  private static func plainMeaning(_ text: String, _ affinity: String) -> Value {
    switch affinity {
    case "TEXT": .text(text)
    case "BLOB": number(text, isCanonical: true) ?? blob(text) ?? .text(text)
    default: number(text, isCanonical: false) ?? .text(text)
    }
  }

  /// What a text means whose first character is encoded without need; nil if it means the same.
  private static func otherMeaning(_ text: String, _ affinity: String) -> Value? {
    affinity == "BLOB" ? .text(text) : blob(text) ?? (affinity == "TEXT" ? nil : .text(text))
  }

  /// - Parameter isCanonical: Whether an integer such as `007` is not a number.
  private static func number(_ text: String, isCanonical: Bool) -> Value? {
    guard isNumber(text) else { return nil }
    if let integer = Int64(text) { return isCanonical && String(integer) != text ? nil : .integer(integer) }
    guard let real = Double(text), !isCanonical || decimal(real) == text else { return nil }
    return .real(real)
  }

  /// Whether a text has the form of a decimal number, such as `-5`, `2.5` or `1e-300`.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func skip(_ characters: [UInt8]) -> Bool {
      guard let first = rest.first, characters.contains(first) else { return false }
      rest.removeFirst()
      return true
    }
    func skipDigits() -> Bool {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest.removeFirst(count)
      return count > 0
    }
    _ = skip([UInt8(ascii: "-")])
    guard skipDigits(), !skip([UInt8(ascii: ".")]) || skipDigits() else { return false }
    if skip([UInt8(ascii: "e"), UInt8(ascii: "E")]) {
      _ = skip([UInt8(ascii: "-")])
      guard skipDigits() else { return false }
    }
    return rest.isEmpty
  }

  private static func blob(_ text: String) -> Value? {
    guard text.hasPrefix("0x"), text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var rest = text.dropFirst(2)
    while !rest.isEmpty {
      guard let byte = rest.prefix(2).hexadecimalByte else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return .blob(bytes)
  }
}

extension Substring {
  /// The byte that two hexadecimal digits mean; nil for other text.
  fileprivate var hexadecimalByte: UInt8? {
    guard utf8.count == 2, first?.isHexDigit == true, last?.isHexDigit == true else { return nil }
    return UInt8(self, radix: 16)
  }
}
