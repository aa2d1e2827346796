// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// How the result of a search changes as records are saved. Not thread-safe.
package final class LiveSearch {
  package struct Event: Sendable {
    package let kind: ResultChange
    /// The hit of before if the record left the result.
    package let hit: Hit
    /// The transaction as of which the result was found.
    package let token: Int64
  }

  private var known: [Identity: Hit]?
  /// Whether the last result did not include the newest save.
  package private(set) var isBehind = false

  package init() {}

  private struct Identity: Hashable {
    let store: String?
    let record: RecordURI

    init(_ hit: Hit) { (store, record) = (hit.store, hit.identifier) }
  }

  /// What differs from the result of the last call: hits that left, then the others in the order of the result. The first
  /// call gives all hits.
  package func events(to result: SearchResult) -> [Event] {
    let states = result.stores.isEmpty ? [result.index] : result.stores.map(\.index)
    isBehind = states.contains { !$0.isOfThisStore || $0.isNewest == false }
    let tokens = Dictionary(result.stores.map { ($0.name, $0.index.answersAt) }) { first, _ in first }
    func event(_ kind: ResultChange, _ hit: Hit) -> Event {
      Event(kind: kind, hit: hit, token: hit.store.flatMap { tokens[$0] } ?? result.index.answersAt)
    }
    let now = Dictionary(result.hits.map { (Identity($0), $0) }) { first, _ in first }
    // Records of a store that does not answer have not left.
    let silent = Set(result.missing.map(\.name))
    let kept = (known ?? [:]).filter { $0.key.store.map(silent.contains) == true }
    defer { known = now.merging(kept) { found, _ in found } }
    guard let before = known else { return result.hits.map { event(.match, $0) } }
    let left = before.filter { now[$0.key] == nil && kept[$0.key] == nil }.values.sorted {
      ($0.identifier.short, $0.store ?? "") < ($1.identifier.short, $1.store ?? "")
    }
    let others = result.hits.compactMap { hit in
      ResultChange(from: before[Identity(hit)], to: hit) { $0.hasSameContent(as: $1) }.map { event($0, hit) }
    }
    return left.map { event(.leave, $0) } + others
  }

  /// The records of the last result.
  var records: Set<ChangedRecords.Record> { Set((known ?? [:]).values.map(ChangedRecords.Record.init)) }
}

extension LiveSearch {
  /// Whether a search that already has a result waits and tries again: the store or the index is missing while it is
  /// replaced, or cannot be read for another reason that may pass.
  package static func passes(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: error.passesByItself || error.code == .replaced
    case let error as IndexError:
      [.missing, .building, .corrupt, .changed, .unreadable, .full, .limit, .other].contains(error.code)
    case let part as MissingPart: part.error.map(passes) ?? true
    default: false
    }
  }
}

extension Hit {
  /// Whether a person sees the same record. Scores and freshness do not count.
  fileprivate func hasSameContent(as other: Hit) -> Bool {
    values == other.values && title == other.title && fields == other.fields && section == other.section
  }
}
