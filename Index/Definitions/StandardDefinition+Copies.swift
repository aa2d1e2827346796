// SPDX-License-Identifier: MIT

internal import Base

/// Records that keep earlier states of others, such as the revisions of pages, or repeat their texts. What they copy comes
/// first in searches.
extension StandardDefinition {
  /// The least number of attributes that a copy has, and the least share of those of the copied record.
  private static let (fewestCopied, leastCopied) = (5, 0.5)

  private static let words: Set<String> = ["revision", "version", "history", "snapshot", "draft", "backup", "archive"]

  /// Whether the records repeat texts of others, or are called copies and have JSON objects whose keys are the attributes of
  /// other records.
  func isCopy(_ name: String, _ shape: EntityShape) -> Bool {
    if copies.contains(name) { return true }
    guard NameWords.of(name).contains(where: { Self.words.contains(NameWords.singular($0)) }) else { return false }
    return shape.attributes.contains { attribute in
      guard attribute.kind == .json, let keys = values[name]?[attribute.name]?.keys,
        keys.count >= Self.fewestCopied
      else { return false }
      return model.contains { other, copied in
        let texts = copied.attributes.filter { $0.kind == .text }.map { $0.name.lowercased() }
        let found = texts.count(where: keys.contains)
        return other != name && found >= Self.fewestCopied
          && Double(found) >= Double(texts.count) * Self.leastCopied
      }
    }
  }

  /// The field of a copy: it is found, but hardly affects the rank.
  func asCopy(_ field: FieldDefinition) -> FieldDefinition {
    var field = field
    field.weight = 0
    if field.holds == .title { field.holds = .prose }
    return field
  }
}
