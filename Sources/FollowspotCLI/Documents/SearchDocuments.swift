// SPDX-License-Identifier: MIT

internal import Followspot
internal import Store

extension JSONObject {
  /// The output of `search --format json`.
  ///
  /// - Parameter hits: The array of hits.
  init(_ result: SearchResult, query: String, hits: JSONFragment) {
    self =
      .document(["query": query])
      + JSONObject(result.index, result.stores, result.missing)
      + [
        "estimated": result.estimated, "widened": result.isWidened, "corrected": result.corrected,
        "suggestion": IfPresent(result.nearest.map { JSONObject($0) }), "hits": hits,
        "facets": JSONObject(result.facets),
      ]
  }

  /// The output of `count --format json`.
  init(_ result: CountResult, query: String) {
    self =
      .document(["query": query])
      + JSONObject(result.index, result.stores, result.missing)
      + [
        "count": result.count, "suggestion": IfPresent(result.nearest.map { JSONObject($0) }),
        "facets": JSONObject(result.facet.map { [$0] } ?? []),
      ]
  }

  /// The output of `suggest --format json`.
  init(_ suggestions: [Suggestion], query: String) {
    self = .document([
      "query": query,
      "suggestions": suggestions.map {
        ["text": $0.text, "kind": $0.kind.rawValue, "records": $0.count] as JSONObject
      },
    ])
  }

  /// The output of `explain --format json`.
  init(_ explanation: Explanation, query: String) {
    let parts = explanation.parts.map { part in
      [
        "text": part.text, "role": part.role.rawValue, "present": part.isThere,
        "score": JSONFragment.score(part.score), "records": part.frequency,
        "fields": JSONObject(members: part.fields.map { ($0.field, JSONFragment.score($0.score)) }), "note": part.note,
      ] as JSONObject
    }
    self = .document([
      "query": query, "id": explanation.identifier.uri, "verdict": explanation.verdict.rawValue,
      "score": JSONFragment.score(explanation.score), "reasons": explanation.reasons, "parts": parts,
    ])
  }

  /// The state of the index and how much of the store it contains or, for a group, those of all its indexes.
  private init(_ index: IndexStatus, _ stores: [StoreStatus], _ missing: [MissingPart]) {
    let missing = missing.map { ["name": $0.name, "reason": $0.reason] as JSONObject }
    self = ["missing": IfPresent(missing.isEmpty ? nil : missing)]
    if stores.isEmpty {
      self = self + ["index": JSONObject(index, isPart: false), "complete": JSONObject(index.complete)]
    } else {
      let parts = stores.map { store in
        [
          "name": store.name, "index": JSONObject(store.index, isPart: true),
          "complete": JSONObject(store.index.complete),
        ] as JSONObject
      }
      self = self + ["stores": parts]
    }
  }

  /// - Parameter isPart: Whether it is one of a group, where the formats have null for a number that is not known.
  private init(_ index: IndexStatus, isPart: Bool) {
    func number(_ known: (any JSONValue)?) -> (any JSONValue)? { isPart ? known : IfPresent(known) }
    self = [
      "uuid": index.uuid, "generation": index.generation, "token": index.token,
      "lagTransactions": number(index.lagTransactions), "lagSeconds": number(index.lagSeconds),
      "lagKnown": IfPresent(index.lagTransactions == nil ? false : nil),
    ]
  }

  /// A similar query that finds records.
  private init(_ nearest: NearestQuery) {
    self = [
      "query": nearest.query, "kinds": nearest.kinds, "leavesOut": nearest.leavesOut.map(\.text),
      "records": nearest.count,
    ]
  }

  /// The counts by field, then by value.
  private init(_ facets: [Facet]) {
    self.init(
      members: facets.map { ($0.field, JSONObject(members: $0.values.map { ($0.text, $0.count) })) })
  }
}
