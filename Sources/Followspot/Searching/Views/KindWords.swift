// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// The words by which people name kinds of records: those of the names of entities, in singular and plural, and those that
/// the definition adds.
///
/// A word of a query that names the kind of a record counts as found in it. The word is not in the index of each record.
struct KindWords: Sendable {
  /// The words of each name of an entity, in the singular.
  private let names: [String: [[String]]]
  /// The names of the attributes of each entity.
  private let attributes: [String: [String]]

  /// None if there is only one kind, because its name then tells no records apart.
  init(_ definition: IndexDefinition) {
    guard definition.entities.count > 1 else {
      (names, attributes) = ([:], [:])
      return
    }
    var folder = TextFolder()
    names = Dictionary(
      uniqueKeysWithValues: definition.entities.map { name, entity in
        (name, ([name] + entity.words).map { Self.words(of: $0, &folder) }.filter { !$0.isEmpty })
      })
    attributes = definition.entities.mapValues { $0.fields.map(\.path).filter { !$0.utf8.contains(UInt8(ascii: ".")) } }
  }

  private static func words(of name: String, _ folder: inout TextFolder) -> [String] {
    NameWords.of(name).map { NameWords.singular(folder.fold($0).lowercased()) }
  }

  /// The entities that a folded word names, sorted.
  func entities(named word: String) -> [String] {
    guard !names.isEmpty else { return [] }
    let forms = Self.forms(of: word)
    guard !forms.isEmpty else { return [] }
    return names.filter { $0.value.contains { forms.allSatisfy($0.contains) } }.map(\.key).sorted()
  }

  /// Minimum length of a word that is a part of a compound.
  private static let shortestPart = 4

  /// The entities that a folded word may mean, sorted: those with an attribute whose name contains it, and those whose name
  /// is a compound with it, such as `ethnicgroup`.
  func entities(hintedAtBy word: String) -> [String] {
    let forms = Self.forms(of: word)
    guard !forms.isEmpty else { return [] }
    func isPart(_ name: [String]) -> Bool {
      guard forms.count == 1, forms[0].count >= Self.shortestPart, name.count == 1, name[0] != forms[0] else {
        return false
      }
      return name[0].hasPrefix(forms[0]) || name[0].hasSuffix(forms[0])
    }
    var folder = TextFolder()
    // Most names are not divided into words, because they lack the first letters.
    let start = forms[0].prefix(3)
    func hasWords(_ attribute: String) -> Bool {
      let isPossible = attribute.lowercased().contains(start) || !attribute.utf8.allSatisfy { $0 < 0x80 }
      guard isPossible, case let words = Self.words(of: attribute, &folder) else { return false }
      return forms.allSatisfy(words.contains)
    }
    return attributes.filter { entity, attributes in
      attributes.contains(where: hasWords) || names[entity]?.contains(where: isPart) == true
    }.map(\.key).sorted()
  }

  /// Which words of a query name an entity, and the share of its name that they are, 0 to 1.
  ///
  /// - Parameter query: Folded.
  func match(_ query: [String], _ entity: String) -> (indices: Set<Int>, share: Double) {
    (names[entity] ?? []).map { Self.match(query, $0) }.max { $0.share < $1.share } ?? ([], 0)
  }

  private static func match(_ query: [String], _ name: [String]) -> (indices: Set<Int>, share: Double) {
    var indices: Set<Int> = []
    var found: Set<String> = []
    for (index, word) in query.enumerated() {
      let forms = forms(of: word)
      guard !forms.isEmpty, forms.allSatisfy(name.contains) else { continue }
      indices.insert(index)
      found.formUnion(forms)
    }
    return (indices, Double(name.count { found.contains($0) }) / Double(name.count))
  }

  /// A folded word of a query in the singular, or the words of a name such as `order_items`, which is folded to hyphens.
  private static func forms(of word: String) -> [String] {
    word.lowercased().split(separator: "-").map { NameWords.singular(String($0)) }
  }
}
