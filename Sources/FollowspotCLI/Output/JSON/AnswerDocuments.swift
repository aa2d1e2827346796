// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import Searching

/// The state of the index that answered: its token and its lag.
struct IndexDocument: Encodable {
  let uuid: String
  let generation: Int
  let token: Int64
  let lagTransactions: Int64?
  let lagSeconds: Double?

  init(_ status: IndexStatus) {
    (uuid, generation, token) = (status.uuid, status.generation, status.token)
    lagTransactions = status.isLagKnown ? status.lagTransactions : nil
    lagSeconds = status.isLagKnown ? status.lagSeconds : nil
  }
}

/// One store of a group.
struct GroupedStoreDocument: Encodable {
  let name: String
  let index: IndexDocument
  let complete: CompleteDocument

  init(_ status: StoreStatus) {
    (name, index) = (status.name, IndexDocument(status.index))
    complete = CompleteDocument(status.index.complete)
  }
}

/// A part of a group that was not searched.
struct MissingPartDocument: Encodable {
  let name: String
  let reason: String

  init(_ part: MissingPart) { (name, reason) = (part.name, part.reason) }
}

extension KeyedEncodingContainer {
  /// Writes the state of the index and how much of the store it contains or, for a group, those of all its indexes.
  fileprivate mutating func encode(
    _ index: IndexStatus, _ stores: [StoreStatus], _ missing: [MissingPart],
    forKeys indexKey: Key, _ completeKey: Key, _ storesKey: Key, _ missingKey: Key
  ) throws {
    if !missing.isEmpty { try encode(missing.map(MissingPartDocument.init), forKey: missingKey) }
    if stores.isEmpty {
      try encode(IndexDocument(index), forKey: indexKey)
      try encode(CompleteDocument(index.complete), forKey: completeKey)
    } else {
      try encode(stores.map(GroupedStoreDocument.init), forKey: storesKey)
    }
  }
}

/// A similar query that finds records.
struct NearestQueryDocument: Encodable {
  let query: String
  let kinds: [String]
  let leavesOut: [String]
  let records: Int

  init(_ nearest: NearestQuery) {
    (query, kinds, records) = (nearest.query, nearest.kinds, nearest.count)
    leavesOut = nearest.leavesOut.map(\.text)
  }
}

extension JSONFragment {
  /// The counts by field, then by value.
  fileprivate static func facets(_ facets: [Facet]) -> JSONFragment {
    .members(facets) { facet, json in
      json.key(facet.field)
      json.object { json in for value in facet.values { json.pair(value.text, value.count) } }
    }
  }
}

/// The output of `search --format json`.
struct SearchDocument: Encodable {
  let query: String
  let result: SearchResult
  /// The rows, written directly instead of through `Encodable`.
  let hits: JSONFragment

  private enum Key: String, CodingKey {
    case format, query, index, complete, stores, missing, estimated, widened, corrected, suggestion, hits, facets
  }

  func encode(to encoder: any Encoder) throws {
    var document = encoder.container(keyedBy: Key.self)
    try document.encode(FormatVersion.current, forKey: .format)
    try document.encode(query, forKey: .query)
    try document.encode(
      result.index, result.stores, result.missing, forKeys: .index, .complete, .stores, .missing)
    try document.encode(result.estimated, forKey: .estimated)
    try document.encode(result.isWidened, forKey: .widened)
    try document.encodeIfPresent(result.corrected, forKey: .corrected)
    if let nearest = result.nearest { try document.encode(NearestQueryDocument(nearest), forKey: .suggestion) }
    try document.encode(hits, forKey: .hits)
    try document.encode(JSONFragment.facets(result.facets), forKey: .facets)
  }
}

/// The output of `count --format json`.
struct CountDocument: Encodable {
  let query: String
  let result: CountResult

  private enum Key: String, CodingKey {
    case format, query, index, complete, stores, missing, count, suggestion, facets
  }

  func encode(to encoder: any Encoder) throws {
    var document = encoder.container(keyedBy: Key.self)
    try document.encode(FormatVersion.current, forKey: .format)
    try document.encode(query, forKey: .query)
    try document.encode(
      result.index, result.stores, result.missing, forKeys: .index, .complete, .stores, .missing)
    try document.encode(result.count, forKey: .count)
    if let nearest = result.nearest { try document.encode(NearestQueryDocument(nearest), forKey: .suggestion) }
    try document.encode(JSONFragment.facets(result.facet.map { [$0] } ?? []), forKey: .facets)
  }
}

/// The output of `suggest --format json`.
struct SuggestionsDocument: Encodable {
  struct Suggestion: Encodable {
    let text: String
    let kind: String
    let records: Int
  }

  let format = FormatVersion.current
  let query: String
  let suggestions: [Suggestion]
}

/// The output of `explain --format json`.
struct ExplanationDocument: Encodable {
  struct Part: Encodable {
    let text: String
    let role: String
    let present: Bool
    let score: JSONFragment
    let records: Int
    let fields: JSONFragment
    let note: String?

    init(_ part: Explanation.Part) {
      (text, role, present) = (part.text, part.role.rawValue, part.isThere)
      (score, records, note) = (.score(part.score), part.frequency, part.note)
      fields = .members(part.fields) { field, json in
        json.key(field.field)
        json.raw(FieldSelector.score(field.score))
      }
    }
  }

  let format = FormatVersion.current
  let query: String
  let id: String
  let verdict: String
  let score: JSONFragment
  let reasons: [String]
  let parts: [Part]

  init(_ explanation: Explanation, query: String) {
    self.query = query
    (id, verdict) = (explanation.identifier.uri, explanation.verdict.rawValue)
    (score, reasons) = (.score(explanation.score), explanation.reasons)
    parts = explanation.parts.map(Part.init)
  }
}
