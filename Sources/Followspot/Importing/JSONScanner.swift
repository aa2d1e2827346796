// SPDX-License-Identifier: MIT

/// Scans a JSON document without parsing it. The scanner finds the start and the end of values, and does not validate
/// them.
struct JSONScanner {
  let bytes: UnsafeRawBufferPointer
  private(set) var position: Int
  private(set) var line = 1

  init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
    self.bytes = bytes
    position = start
  }

  /// Skips white space, and returns the next byte without consuming it; nil at the end.
  mutating func peek() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x0a:
        line += 1
        position += 1
      case 0x20, 0x09, 0x0d: position += 1
      default: return bytes[position]
      }
    }
    return nil
  }

  /// Consumes the next byte after white space if it is this character.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  /// Consumes the next value and returns its text. nil if no value starts here, or if the document ends inside it.
  mutating func takeValue() -> UnsafeRawBufferPointer? {
    guard let first = peek() else { return nil }
    let start = position
    var depth = 0
    repeat {
      guard position < bytes.count else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        guard skipString() else { return nil }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return nil }
        depth -= 1
        position += 1
      case 0x0a:
        line += 1
        position += 1
      default: position += 1
      }
    } while depth > 0 || (!Self.isWhole(first) && position < bytes.count && !Self.endsWord(bytes[position]))
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  private mutating func skipString() -> Bool {
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "\""):
        position += 1
        return true
      case 0x0a:
        line += 1
        position += 1
      default: position += 1
      }
    }
    position = min(position, bytes.count)
    return false
  }

  /// Whether a value with this first byte ends with a closing byte. Numbers, `true`, `false` and `null` do not.
  private static func isWhole(_ byte: UInt8) -> Bool { [0x22, 0x7b, 0x5b].contains(byte) }

  private static func endsWord(_ byte: UInt8) -> Bool {
    byte <= 0x20 || [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":")].contains(byte)
  }
}
