internal import PersistentStore
internal import SearchIndex

/// How many hits have each value of a field.
package struct Facet: Equatable, Sendable {
  package struct Value: Equatable, Sendable {
    /// The most frequent spelling.
    package let text: String
    package let count: Int
  }

  /// What the values are, which a graph needs to know.
  package enum Scale: Sendable { case text, number, date }

  /// The field's name as the index or the store spells it.
  package let field: String
  package let scale: Scale
  /// Most frequent first, then by their texts.
  package let values: [Value]
}

/// Counts the rows that have each value, without regard to case and diacritics. Empty texts are not counted.
struct FacetCounter {
  private var folder = TextFolder()
  private var spellings: [String: [String: Int]] = [:]

  mutating func add(_ texts: [String]) {
    var seen: Set<String> = []
    for text in texts {
      let folded = folder.fold(text).lowercased()
      if !folded.isEmpty, seen.insert(folded).inserted { spellings[folded, default: [:]][text, default: 0] += 1 }
    }
  }

  var values: [Facet.Value] {
    spellings.map { folded, spellings in
      let text = spellings.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key ?? folded
      return Facet.Value(text: text, count: spellings.values.reduce(0, +))
    }.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
  }
}
