// SPDX-License-Identifier: MIT

internal import SQLite
internal import SearchIndex
internal import Store

/// Reads the values of one field from the slots of documents.
struct FieldSlot {
  enum Content {
    case texts
    case number(AttributeType)
    /// The kind, from the identity of the document.
    case kind
  }

  let number: UInt32
  /// The documents whose values have to be read from their rows.
  let exceptions: [UInt8]?
  private let content: Content
  /// The values of numbers that occurred before.
  private var known: [UInt64: FieldReader.FieldValue] = [:]

  init(_ field: FieldTable.Field, _ content: Content) {
    number = field.slot
    exceptions = DocumentLayout.rowOnlyTerm(field.fieldPrefix)
    self.content = content
  }

  private init(number: UInt32, _ content: Content) {
    self.number = number
    exceptions = nil
    self.content = content
  }

  /// Reads the kind.
  static let kind = FieldSlot(number: DocumentLayout.Slot.identity, .kind)

  /// Gives the values in the slot of a document to a visitor, in their order.
  mutating func eachValue(in slot: UnsafeRawBufferPointer, to visitor: some MatchVisitor, field: Int) {
    guard !slot.isEmpty else { return }
    switch content {
    case .texts:
      var start = 0
      for at in 0...slot.count where at == slot.count || slot[at] == 0 {
        visitor.add(UnsafeRawBufferPointer(rebasing: slot[start..<at]), field: field)
        start = at + 1
      }
    case .kind:
      visitor.add(UnsafeRawBufferPointer(rebasing: slot.prefix { $0 != 0 }), field: field)
    case .number(let type):
      // A longer number is rare.
      guard slot.count <= 8 else { return visitor.add(Self.value(of: slot, as: type), field: field) }
      var packed: UInt64 = 0
      for byte in slot { packed = packed << 8 | UInt64(byte) }
      packed <<= UInt64(8 - slot.count) * 8
      if let value = known[packed] { return visitor.add(value, field: field) }
      let value = Self.value(of: slot, as: type)
      known[packed] = value
      visitor.add(value, field: field)
    }
  }

  /// The same value as that of the row: a whole number has the same text, whether it is stored as an integer or not.
  private static func value(of slot: UnsafeRawBufferPointer, as type: AttributeType) -> FieldReader.FieldValue {
    let bytes = Array(slot)
    if let integer = SortableNumber.integer(of: bytes) {
      return FieldReader.FieldValue(text: ValueText.plain(.integer(integer), as: type), number: .init(integer))
    }
    let number = SortableNumber.double(of: bytes)
    return FieldReader.FieldValue(text: ValueText.plain(.real(number), as: type), number: .init(number))
  }
}
