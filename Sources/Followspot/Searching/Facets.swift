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
  private struct Spelling {
    let text: String
    /// The index of its value; nil if the folded text is empty.
    let value: Int?
    var count = 0
  }

  private var folder = TextFolder()
  private var spellings: [Spelling] = []
  private var positions: [SpelledText: Int] = [:]
  private var folded: [String: Int] = [:]
  /// The row that was counted last for each value.
  private var lastRows: [Int] = []
  private var row = 0

  /// Begins the next row.
  mutating func beginRow() { row += 1 }

  /// Adds a value of the row.
  mutating func add(_ text: String) {
    let position = position(of: text)
    guard let value = spellings[position].value, lastRows[value] != row else { return }
    lastRows[value] = row
    spellings[position].count += 1
  }

  /// Adds a value that `count` other rows have.
  mutating func add(_ text: String, count: Int) {
    let position = position(of: text)
    if spellings[position].value != nil { spellings[position].count += count }
  }

  private mutating func position(of text: String) -> Int {
    let spelled = SpelledText(text: text)
    if let known = positions[spelled] { return known }
    let text = folder.fold(spelled.text).lowercased()
    let value = text.isEmpty ? nil : folded[text] ?? lastRows.count
    if let value, value == lastRows.count {
      folded[text] = value
      lastRows.append(0)
    }
    spellings.append(Spelling(text: spelled.text, value: value))
    positions[spelled] = spellings.count - 1
    return spellings.count - 1
  }

  var values: [Facet.Value] {
    var best = [(text: String, count: Int)](repeating: ("", 0), count: lastRows.count)
    var counts = [Int](repeating: 0, count: lastRows.count)
    for spelling in spellings {
      guard let value = spelling.value else { continue }
      counts[value] += spelling.count
      let isFirst = spelling.count == best[value].count && spelling.text.isSpelledBefore(best[value].text)
      if spelling.count > best[value].count || isFirst { best[value] = (spelling.text, spelling.count) }
    }
    return zip(best, counts).filter { $0.1 > 0 }.map { Facet.Value(text: $0.text, count: $1) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0.text.isSpelledBefore($1.text)
    }
  }
}

/// A text that equals only texts with the same bytes. Strings equal others with the same characters.
private struct SpelledText: Hashable {
  let text: String

  static func == (left: SpelledText, right: SpelledText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// As `<`, and by bytes if both have the same characters.
  fileprivate func isSpelledBefore(_ other: String) -> Bool {
    self == other ? utf8.lexicographicallyPrecedes(other.utf8) : self < other
  }
}
