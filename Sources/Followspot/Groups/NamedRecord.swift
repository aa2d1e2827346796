// SPDX-License-Identifier: MIT

package import Store

/// A record that a person named, and the store of the group that has it.
package struct NamedRecord: Sendable {
  /// The name of the store; nil if there is no group.
  package let store: String?
  package let record: RecordURI

  package init(store: String?, record: RecordURI) { (self.store, self.record) = (store, record) }

  /// As a person can name it again: in a group with the name of the store, `films:film/6`.
  package var text: String { Self.text(of: record, in: store) }

  package static func text(of record: RecordURI, in store: String?) -> String {
    (store.map { $0 + ":" } ?? "") + record.short
  }
}

extension Searcher {
  package func records(named text: String) throws -> [NamedRecord] {
    try record(named: text).map { [NamedRecord(store: nil, record: $0)] } ?? []
  }

  package func explain(_ named: NamedRecord, _ request: SearchRequest) throws -> Explanation? {
    try explain(named.record, request)
  }
}

extension SearchGroup {
  /// The name of a store and a colon before an identifier choose the store. Without them, all stores that have the record
  /// are meant; if none has it, all that the identifier fits: one of them may have deleted it.
  package func records(named text: String) throws -> [NamedRecord] {
    if let chosen = members.filter({ text.hasPrefix($0.name + ":") }).max(by: { $0.name.count < $1.name.count }) {
      let rest = String(text.dropFirst(chosen.name.count + 1))
      if let record = try chosen.searcher().record(named: rest) { return [.init(store: chosen.name, record: record)] }
    }
    let possible = try members.compactMap { member -> (named: NamedRecord, isThere: Bool)? in
      let searcher = try member.searcher()
      guard let record = try searcher.record(named: text), try searcher.mayHave(record) else { return nil }
      return (NamedRecord(store: member.name, record: record), try searcher.has(record))
    }
    let found = possible.filter(\.isThere)
    return (found.isEmpty ? possible : found).map(\.named)
  }

  /// The identifier of a record, if there is one.
  package var exampleIdentifier: String {
    members.lazy.compactMap { try? $0.searcher().exampleIdentifier }.first ?? "Kind/p1"
  }

  /// The suggestions of all stores. Equal ones are counted together.
  package func suggestions(for request: SearchRequest) throws -> (suggestions: [Suggestion], notes: [String]) {
    let (answers, notes) = try withAnsweringParts(request) {
      try eachMember { member, _ in try member.searcher().suggestions(for: request) }
    }
    let merged = Suggestion.merged(answers.map(\.answer.suggestions))
    return (
      Array(merged.prefix(request.limit ?? .max)),
      notes + answers.flatMap { member, answer in answer.notes.map { "\(member.name): \($0)" } }
    )
  }
}
