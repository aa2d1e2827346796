// SPDX-License-Identifier: MIT

/// What the value slot of a field holds. Facets and sort orders read it instead of the rows.
package enum SlotContent: Sendable {
  /// A number, a date or a truth value as a `SortableNumber`, for ranges as well.
  case number
  /// The texts of a facet or a title as they are written, with a NUL between them. Empty texts are omitted.
  case texts

  /// Maximum length of the texts in bytes. Longer ones are read from the row.
  private static let longestTexts = 1_000

  /// The content of a field with these definitions in several entities; nil if it needs no slot, or would need both kinds.
  init?(of fields: [FieldDefinition], isTitle: Bool) {
    let roles = fields.reduce(into: Set()) { $0.formUnion($1.roles) }
    if roles.isDisjoint(with: [.text, .facet]) {
      guard !roles.isDisjoint(with: [.number, .date, .flag]) else { return nil }
      self = .number
    } else {
      guard isTitle || fields.contains(where: \.indexesWholeValues), roles.isDisjoint(with: [.number, .date, .flag])
      else { return nil }
      self = .texts
    }
  }

  /// Appends a text to the content of a slot. Returns false if the slot cannot hold it.
  static func append(_ text: UnsafeRawBufferPointer, to content: inout [UInt8]) -> Bool {
    guard content.count + text.count < longestTexts, !text.contains(0) else { return false }
    if !content.isEmpty { content.append(0) }
    content.append(contentsOf: text)
    return true
  }
}
