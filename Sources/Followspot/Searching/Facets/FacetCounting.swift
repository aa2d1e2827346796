// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Counts the values of fields over all matches of a query.
final class FacetCounting: MatchVisitor {
  private var counters: [FacetCounter]

  private init(fields: Int) { counters = [FacetCounter](repeating: FacetCounter(), count: fields) }

  /// The facets of a request. A field that it names twice is counted once.
  static func facets(
    _ request: SearchRequest, of query: Query, in view: SearchView
  ) throws -> [Facet] {
    guard !request.facets.isEmpty else { return [] }
    var known: Set<String> = []
    let readers = try request.facets.map { try FieldReader.of($0, in: view, readsSlots: true) }
      .filter { known.insert($0.name).inserted }
    let counting = FacetCounting(fields: readers.count)
    try MatchReader(readers, view, readsSlots: request.readsSlots).eachMatch(of: query, counting)
    return zip(readers, counting.counters).map {
      Facet(field: $0.name, scale: $0.scale, type: $0.type, values: $1.values)
    }
  }

  var readsIdentities: Bool { false }

  func begin(_ identity: UnsafeRawBufferPointer) {
    for field in counters.indices { counters[field].beginRow() }
  }
  func add(_ value: FieldReader.FieldValue, field: Int) { counters[field].add(value.text) }
  func add(_ text: UnsafeRawBufferPointer, field: Int) { counters[field].add(text) }
  func end() {}
}
