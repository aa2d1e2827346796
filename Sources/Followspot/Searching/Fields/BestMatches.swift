// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Keeps the first of the matches in the order of some fields.
package final class BestMatches: MatchVisitor {
  /// The sort key of a match for one field: its first value that is not empty.
  private enum Key {
    case number(FieldReader.Number)
    /// The folded text as UTF-8.
    case text([UInt8])
    case empty

    /// nil if both are equal. Numbers precede texts, and records without a value come last.
    func precedes(_ other: Key, _ descends: Bool) -> Bool? {
      switch (self, other) {
      case (.empty, .empty): nil
      case (.empty, _): false
      case (_, .empty): true
      case (.number(let own), .number(let other)): own == other ? nil : (own < other) != descends
      case (.number, .text): true
      case (.text, .number): false
      case (.text(let own), .text(let other)):
        own == other ? nil : own.lexicographicallyPrecedes(other) != descends
      }
    }

    var isEmpty: Bool { if case .empty = self { true } else { false } }
  }

  private struct Match {
    var identity: [UInt8] = []
    var keys: [Key]
  }

  private let most: Int
  private let descends: [Bool]
  private var folder = TextFolder()
  /// At most twice as many matches as wanted; without order.
  private var kept: [Match] = []
  /// No match after this one is wanted; nil until enough were found.
  private var last: Match?
  /// The start of the first sort key of `last`; nil if that is not a text.
  private var lastStart: UInt64?
  /// Whether the current match comes after `last`.
  private var isAfterLast = false
  private var current: Match

  /// The number of matches.
  private(set) var count = 0

  /// - Parameters:
  ///   - most: The number of matches to keep.
  ///   - descends: By sort key.
  package init(most: Int, descends: [Bool]) {
    self.most = most
    self.descends = descends
    current = Match(keys: [Key](repeating: .empty, count: descends.count))
  }

  var readsIdentities: Bool { true }

  package func begin(_ identity: UnsafeRawBufferPointer) {
    count += 1
    isAfterLast = false
    current.identity.replaceSubrange(0..<current.identity.count, with: identity)
    for field in current.keys.indices { current.keys[field] = .empty }
  }

  func add(_ value: FieldReader.FieldValue, field: Int) {
    guard let number = value.number else {
      var text = value.text
      return text.withUTF8 { add(UnsafeRawBufferPointer($0), field: field) }
    }
    if current.keys[field].isEmpty { current.keys[field] = .number(number) }
  }

  func add(_ text: UnsafeRawBufferPointer, field: Int) {
    guard !isAfterLast, current.keys[field].isEmpty, !text.isEmpty else { return }
    if field == 0, let lastStart {
      // Most texts differ from the last one that is wanted in their first bytes, and need not be folded.
      let (start, known) = TextFolder.startOfSortKey(of: text)
      let difference = (start ^ lastStart) >> UInt64(64 - known * 8)
      if difference != 0, (start < lastStart) == descends[0] {
        isAfterLast = true
        return
      }
    }
    current.keys[field] = .text(folder.sortKey(of: text))
  }

  package func end() {
    if isAfterLast { return }
    if let last, !precedes(current, last) { return }
    kept.append(current)
    if kept.count >= max(2 * most, 64) { drop() }
  }

  /// Drops the matches that are not wanted.
  private func drop() {
    kept.sort(by: precedes)
    kept.removeLast(max(0, kept.count - most))
    guard kept.count == most else { return }
    last = kept.last
    lastStart = if case .text(let key)? = last?.keys.first { key.withUnsafeBytes(\.start) } else { nil }
  }

  /// The identities of the first matches, in order.
  package func sorted() -> [[UInt8]] {
    drop()
    return kept.map(\.identity)
  }

  private func precedes(_ one: Match, _ other: Match) -> Bool {
    for (field, descends) in descends.enumerated() {
      if let answer = one.keys[field].precedes(other.keys[field], descends) { return answer }
    }
    return one.identity.lexicographicallyPrecedes(other.identity)
  }
}
