// SPDX-License-Identifier: MIT

/// A completion of a partial query.
package struct Suggestion: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The whole title of a record.
    case title
    /// The whole value of a facet.
    case item
    /// The last word completed.
    case word
    /// The last word corrected, because no term has it as a prefix.
    case correction
  }

  /// The whole query.
  package let text: String
  package let kind: Kind
  /// Number of records that match.
  package let count: Int

  /// The suggestions of several stores: equal ones are counted together. Each kind follows the one before it, the most
  /// frequent first. Words are corrected only if no store has a completion.
  static func merged(_ lists: [[Suggestion]]) -> [Suggestion] {
    var counts: [Kind: [String: (text: String, count: Int, place: Int)]] = [:]
    for suggestion in lists.joined() {
      let known = counts[suggestion.kind, default: [:]]
      let (key, first) = (suggestion.text.lowercased(), known[suggestion.text.lowercased()])
      counts[suggestion.kind, default: [:]][key] =
        (first?.text ?? suggestion.text, suggestion.count + (first?.count ?? 0), first?.place ?? known.count)
    }
    var seen: Set<String> = []
    let merged = Kind.allCases.flatMap { kind in
      (counts[kind] ?? [:]).filter { seen.insert($0.key).inserted }.values
        .sorted { ($1.count, $0.place) < ($0.count, $1.place) }
        .map { Suggestion(text: $0.text, kind: kind, count: $0.count) }
    }
    let completions = merged.filter { $0.kind != .correction }
    return completions.isEmpty ? merged : completions
  }
}
