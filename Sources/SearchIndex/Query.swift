internal import CXapian

/// A query in Xapian's words. Terms are complete, their prefixes included.
package indirect enum Query: Hashable, Sendable {
  case everything
  case nothing
  case term([UInt8])
  /// The terms in this order, adjacent.
  case phrase([[UInt8]])
  /// The terms in any order, inside `window` words.
  case near([[UInt8]], window: Int)
  /// Any term with this beginning; the `limit` most frequent of them.
  case wildcard(beginning: [UInt8], limit: Int)
  /// Documents whose number in `slot` is in the range.
  case range(slot: UInt32, NumberRange)
  /// Documents whose value in `slot` is one of these.
  case among(slot: UInt32, [[UInt8]])
  case and([Query])
  case or([Query])
  /// Any of the queries, relevant as if they were one word: ways to find the same.
  case synonyms([Query])
  /// The same documents, their relevance times a factor.
  case scaled(Query, by: Double)
  case andNot(Query, Query)
  /// What both find, as relevant as the first says.
  case filter(Query, by: Query)
  /// What the query finds, more relevant by a number: by `weight` at most.
  case boosted(Query, slot: UInt32, Boost, by: Double)

  /// How a number adds to relevance.
  package enum Boost: Hashable, Sendable {
    /// All of the boost from `newest` on, half as much for every `half` below.
    case recency(newest: Double, half: Double)
    /// By the logarithm of the number, all of the boost where it is `highest`, which is above 0.
    case magnitude(highest: Double)
  }
}

extension Query {
  /// Whether Xapian 1.4 finds the best documents without weighing every match.
  ///
  /// It does for terms that are all required, a boost and conditions about them. Elsewhere it may leave one out: where
  /// operators stand inside others, where positions count, and, in about one of 10,000 random queries, where any of three
  /// or more terms is enough (`PruningTests`).
  var isFlat: Bool {
    switch self {
    case .boosted(let query, slot: _, _, by: _): query.isConjunction
    case .andNot(let query, let other), .filter(let query, by: let other): query.isFlat && other.isCondition
    default: isConjunction
    }
  }

  private var isTerm: Bool { if case .term = self { true } else { false } }

  private var isRange: Bool { if case .range = self { true } else { false } }

  private var isConjunction: Bool {
    switch self {
    case .term, .everything, .nothing: true
    case .and(let operands): operands.allSatisfy { $0.isTerm || $0.isRange }
    default: false
    }
  }

  /// Whether it may stand where nothing is weighed.
  private var isCondition: Bool {
    if case .or(let operands) = self { operands.allSatisfy(\.isTerm) } else { isConjunction }
  }
}

/// A query as the postfix nodes that the C++ door takes.
struct CompiledQuery {
  private(set) var nodes: [cx_query_node] = []
  private(set) var bytes: [UInt8] = []

  init(_ query: Query) { append(query) }

  private mutating func append(_ query: Query) {
    switch query {
    case .everything: add(CX_QUERY_EVERYTHING)
    case .nothing: add(CX_QUERY_NOTHING)
    case .term(let term): add(CX_QUERY_TERM, text: term)
    case .wildcard(let beginning, let limit): add(CX_QUERY_WILDCARD, text: beginning, count: limit)
    case .range(_, let range) where range.isEmpty: add(CX_QUERY_NOTHING)
    case .range(let slot, let range):
      add(CX_QUERY_RANGE, text: range.lowest + (range.highest ?? []), count: range.lowest.count, slot: slot)
    case .phrase(let terms):
      for term in terms { add(CX_QUERY_TERM, text: term) }
      add(CX_QUERY_PHRASE, count: terms.count)
    case .among(let slot, let values):
      var text: [UInt8] = []
      for value in values { text += [UInt8(value.count & 255), UInt8(value.count >> 8 & 255)] + value }
      add(CX_QUERY_AMONG, text: text, slot: slot)
    case .near(let terms, let window):
      for term in terms { add(CX_QUERY_TERM, text: term) }
      add(CX_QUERY_NEAR, count: terms.count, slot: UInt32(clamping: window))
    case .and(let operands): append(operands, CX_QUERY_AND)
    case .or(let operands): append(operands, CX_QUERY_OR)
    case .synonyms(let operands): append(operands, CX_QUERY_SYNONYM)
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
      case .recency(let newest, let half): add(CX_QUERY_RECENCY, slot: slot, low: newest, high: half, weight: weight)
      case .magnitude(let highest): add(CX_QUERY_MAGNITUDE, slot: slot, high: highest, weight: weight)
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
        kind: UInt32(kind), slot: slot, count: UInt32(count), at: bytes.count, length: text.count, low: low, high: high,
        weight: weight
      ))
    bytes += text
  }
}
