// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import SearchIndex
internal import Values

/// The words by which people name kinds of records: those of the names of entities, in singular and plural.
///
/// A word of a query that names the kind of a record counts as found in it. The word is not in the index of each record.
package struct KindWords: Sendable {
  /// The words of the name of each entity, in the singular.
  private let words: [String: [String]]

  /// None if there is only one kind, because its name then tells no records apart.
  init(_ definition: IndexDefinition) {
    guard definition.entities.count > 1 else {
      words = [:]
      return
    }
    var folder = TextFolder()
    words = Dictionary(
      uniqueKeysWithValues: definition.entities.keys.map { name in
        (name, NameWords.of(name).map { NameWords.singular(folder.fold($0).lowercased()) })
      })
  }

  /// The entities that a folded word names, sorted.
  func entities(named word: String) -> [String] {
    guard !words.isEmpty else { return [] }
    let forms = Self.forms(of: word)
    guard !forms.isEmpty else { return [] }
    return words.filter { forms.allSatisfy($0.value.contains) }.map(\.key).sorted()
  }

  /// Which words of a query name an entity, and the share of its name that they are, 0 to 1.
  ///
  /// - Parameter query: Folded.
  func match(_ query: [String], _ entity: String) -> (indices: Set<Int>, share: Double) {
    guard let name = words[entity], !name.isEmpty else { return ([], 0) }
    var indices: Set<Int> = []
    var found: Set<String> = []
    for (index, word) in query.enumerated() {
      let forms = Self.forms(of: word)
      guard !forms.isEmpty, forms.allSatisfy(name.contains) else { continue }
      indices.insert(index)
      found.formUnion(forms)
    }
    return (indices, Double(name.count { found.contains($0) }) / Double(name.count))
  }

  /// A word of a query in the singular, or the words of a name such as `order_items`.
  private static func forms(of word: String) -> [String] {
    word.lowercased().split(separator: "_").map { NameWords.singular(String($0)) }
  }
}
