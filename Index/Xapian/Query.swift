// SPDX-License-Identifier: MIT

internal import CXapian

/// A query as Xapian runs it. Terms include their prefixes.
package indirect enum Query: Hashable, Sendable {
  case everything
  case nothing
  case term([UInt8])
  /// One of the terms of each place, in this order, adjacent.
  case places([[[UInt8]]])
  /// The terms in any order, within `window` words.
  case near([[UInt8]], window: Int)
  /// Any of the terms that begin in one of these ways, weighed as one word.
  case prefixes([[UInt8]])
  /// Documents whose number in `slot` is in the range.
  case range(slot: UInt32, NumberRange)
  /// Documents whose value in `slot` is one of these.
  case valueSet(slot: UInt32, [[UInt8]])
  /// Documents of the databases with these UUIDs, and of their overlays.
  ///
  /// - withRemote: Whether all databases of other machines are among them. Otherwise, none is.
  case databases([String], withRemote: Bool)
  /// Documents with numbers in ascending ranges, of the database with this UUID.
  case documents([ClosedRange<UInt32>], of: String)
  case and([Query])
  case or([Query])
  /// Any of the queries, weighed as one word.
  case synonyms([Query])
  /// The same documents, with their relevance multiplied by a factor.
  case scaled(Query, by: Double)
  case andNot(Query, Query)
  /// The documents that match both, with the relevance of the first.
  case filter(Query, by: Query)
  /// The same documents, with a boost of at most `weight` by the number in `slot`.
  case boosted(Query, slot: UInt32, Boost, by: Double)

  /// How a number adds to relevance.
  package enum Boost: Hashable, Sendable {
    /// The maximum at or above `newest`, halving every `half` below it.
    case recency(newest: Double, half: Double)
    /// Proportional to the logarithm of the number, with the maximum at `highest`, which is above 0.
    case magnitude(highest: Double)
  }
}

extension Query {
  /// The terms in this order, adjacent.
  package static func phrase(_ terms: [[UInt8]]) -> Query { .places(terms.map { [$0] }) }

  /// Whether Xapian 1.4 finds the best documents without weighing every match.
  ///
  /// It does if all words are required, with a boost and conditions. Otherwise it may miss one: with nested operators, with
  /// positions, and in about one of 10,000 random ORs of three or more terms (`PruningTests`).
  var isFlat: Bool {
    switch self {
    case .boosted(let query, slot: _, _, by: _): query.isConjunction
    case .andNot(let query, let other), .filter(let query, by: let other): query.isFlat && other.isCondition
    default: isConjunction
    }
  }

  private var isTerm: Bool { if case .term = self { true } else { false } }

  /// Whether it is a term, or a word with several terms, which one posting source finds (`word.cc`, `terms.cc`).
  fileprivate var isWord: Bool {
    switch self {
    case .term, .prefixes: true
    case .synonyms(let terms): terms.allSatisfy(\.isTerm)
    default: false
    }
  }

  private var isRange: Bool { if case .range = self { true } else { false } }

  private var isConjunction: Bool {
    switch self {
    case .everything, .nothing: true
    case .and(let operands): operands.allSatisfy { $0.isWord || $0.isRange }
    default: isWord
    }
  }

  /// Whether it may be the second operand of `andNot` and `filter`.
  private var isCondition: Bool {
    switch self {
    case .or(let operands): operands.allSatisfy { $0.isWord || $0.isDocuments }
    default: isDocuments || isConjunction
    }
  }

  private var isDocuments: Bool { if case .documents = self { true } else { false } }
}

extension Query {
  /// The same query without the synonyms that no document has. What remains is often a single term, which Xapian finds
  /// faster.
  func withoutAbsentSynonyms(_ frequency: ([UInt8]) throws(IndexError) -> Int) throws(IndexError) -> Query {
    func each(_ operands: [Query]) throws(IndexError) -> [Query] {
      try operands.map { query throws(IndexError) in try query.withoutAbsentSynonyms(frequency) }
    }
    switch self {
    // Very many terms were read from the index.
    case .synonyms(let operands) where operands.count <= 1_000:
      var present: [Query] = []
      for operand in operands {
        if case .term(let term) = operand, try frequency(term) == 0 { continue }
        present.append(operand)
      }
      let rest = try each(present)
      return rest.count > 1 ? .synonyms(rest) : rest.first ?? .nothing
    case .and(let operands): return .and(try each(operands))
    case .or(let operands): return .or(try each(operands))
    case .scaled(let query, by: let factor): return .scaled(try query.withoutAbsentSynonyms(frequency), by: factor)
    case .andNot(let query, let other):
      return .andNot(try query.withoutAbsentSynonyms(frequency), try other.withoutAbsentSynonyms(frequency))
    case .filter(let query, by: let condition):
      return .filter(
        try query.withoutAbsentSynonyms(frequency), by: try condition.withoutAbsentSynonyms(frequency))
    case .boosted(let query, let slot, let boost, by: let weight):
      return .boosted(try query.withoutAbsentSynonyms(frequency), slot: slot, boost, by: weight)
    case .everything, .nothing, .term, .places, .near, .prefixes, .synonyms, .range, .valueSet, .databases, .documents:
      return self
    }
  }
}

/// A query as postfix nodes for `cx_search`.
struct CompiledQuery {
  private(set) var nodes: [cx_query_node] = []
  private(set) var bytes: [UInt8] = []
  /// Whether Xapian itself looks for the terms of a word: on other machines, and below other synonyms.
  private var usesSynonyms: Bool

  init(_ query: Query, isRemote: Bool) {
    usesSynonyms = isRemote
    append(query)
  }

  private mutating func append(_ query: Query) {
    switch query {
    case .everything: add(CX_QUERY_EVERYTHING)
    case .nothing: add(CX_QUERY_NOTHING)
    case .term(let term): add(CX_QUERY_TERM, text: term)
    case .range(_, let range) where range.isEmpty: add(CX_QUERY_NOTHING)
    case .range(let slot, let range):
      add(CX_QUERY_RANGE, text: range.lowest + (range.highest ?? []), count: range.lowest.count, slot: slot)
    case .places(let places):
      for terms in places {
        for term in terms { add(CX_QUERY_TERM, text: term) }
        if terms.count > 1 { add(CX_QUERY_OR, count: terms.count) }
      }
      add(CX_QUERY_PHRASE, count: places.count)
    case .valueSet(let slot, let values):
      var text: [UInt8] = []
      for value in values { text += [UInt8(value.count & 255), UInt8(value.count >> 8 & 255)] + value }
      add(CX_QUERY_VALUE_SET, text: text, slot: slot)
    case .databases(let uuids, let withRemote):
      add(CX_QUERY_DATABASES, text: Array(uuids.joined().utf8), count: withRemote ? 1 : 0)
    case .documents(let ranges, let uuid):
      let numbers = ranges.flatMap { [$0.lowerBound.littleEndian, $0.upperBound.littleEndian] }
      add(CX_QUERY_DOCUMENTS, text: Array(uuid.utf8) + numbers.withUnsafeBytes(Array.init))
    case .near(let terms, let window):
      for term in terms { add(CX_QUERY_TERM, text: term) }
      add(CX_QUERY_NEAR, count: terms.count, slot: UInt32(clamping: window))
    case .and(let operands): append(operands, CX_QUERY_AND)
    case .or(let operands): append(operands, CX_QUERY_OR)
    case .prefixes(let prefixes) where usesSynonyms:
      for prefix in prefixes { add(CX_QUERY_WILDCARD, text: prefix) }
      add(CX_QUERY_SYNONYM, count: prefixes.count)
    case .prefixes(let prefixes):
      for prefix in prefixes { add(CX_QUERY_TERM, text: prefix) }
      add(CX_QUERY_PREFIXES, count: prefixes.count)
    case .synonyms(let terms) where query.isWord && !usesSynonyms: append(terms, CX_QUERY_WORD)
    case .synonyms(let operands):
      let outer = usesSynonyms
      usesSynonyms = true
      append(operands, CX_QUERY_SYNONYM)
      usesSynonyms = outer
    case .scaled(let query, let factor):
      append(query)
      add(CX_QUERY_SCALE, count: 1, weight: factor)
    case .andNot(let left, let right):
      append(left)
      append(right)
      add(CX_QUERY_AND_NOT)
    case .filter(let query, let condition):
      append(query)
      append(condition)
      add(CX_QUERY_FILTER)
    case .boosted(let query, let slot, let boost, let weight):
      append(query)
      switch boost {
      case .recency(let newest, let half):
        add(CX_QUERY_RECENCY_BOOST, slot: slot, low: newest, high: half, weight: weight)
      case .magnitude(let highest): add(CX_QUERY_MAGNITUDE_BOOST, slot: slot, high: highest, weight: weight)
      }
      add(CX_QUERY_AND, count: 2)
    }
  }

  private mutating func append(_ operands: [Query], _ kind: Int) {
    for operand in operands { append(operand) }
    add(kind, count: operands.count)
  }

  private mutating func add(
    _ kind: Int, text: [UInt8] = [], count: Int = 0, slot: UInt32 = 0, low: Double = 0, high: Double = 0,
    weight: Double = 0
  ) {
    nodes.append(
      cx_query_node(
        kind: UInt32(kind), slot: slot, count: UInt32(count), offset: bytes.count, length: text.count, low: low,
        high: high,
        weight: weight
      ))
    bytes += text
  }
}

extension Query {
  /// Terms of which every match has at least one, as few and as rare as possible; nil if there are none, because numbers,
  /// beginnings of words or the numbers of documents find matches too.
  package func requiredTerms(_ frequency: ([UInt8]) throws(IndexError) -> Int) throws(IndexError) -> Set<[UInt8]>? {
    func union(_ parts: [Set<[UInt8]>?]) -> Set<[UInt8]>? {
      parts.contains { $0 == nil } ? nil : parts.reduce(into: []) { $0.formUnion($1 ?? []) }
    }
    func rarest(_ parts: [Set<[UInt8]>?]) throws(IndexError) -> Set<[UInt8]>? {
      var best: (terms: Set<[UInt8]>, documents: Int)?
      for case let terms? in parts {
        var documents = 0
        for term in terms { documents += try frequency(term) }
        if best.map({ documents < $0.documents }) ?? true { best = (terms, documents) }
      }
      return best?.terms
    }
    func each(_ queries: [Query]) throws(IndexError) -> [Set<[UInt8]>?] {
      try queries.map { query throws(IndexError) in try query.requiredTerms(frequency) }
    }
    switch self {
    case .everything, .prefixes, .range, .valueSet, .databases, .documents: return nil
    case .nothing: return []
    case .term(let term): return [term]
    case .places(let places): return try rarest(places.map { Set($0) })
    case .near(let terms, window: _): return try rarest(terms.map { [$0] })
    case .and(let queries): return try rarest(each(queries))
    case .or(let queries), .synonyms(let queries): return try union(each(queries))
    case .filter(let query, by: let condition): return try rarest(each([query, condition]))
    case .scaled(let query, by: _), .boosted(let query, slot: _, _, by: _), .andNot(let query, _):
      return try query.requiredTerms(frequency)
    }
  }
}
