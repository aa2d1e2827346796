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
  /// Documents whose number in `slot` is in the range; infinite bounds are open.
  case range(slot: UInt32, low: Double, high: Double)
  /// Documents whose value in `slot` is one of these.
  case among(slot: UInt32, [[UInt8]])
  case and([Query])
  case or([Query])
  /// Any of the queries, as relevant as the best says: ways to find the same.
  case best([Query])
  /// The same documents, their relevance times a factor.
  case scaled(Query, by: Double)
  case andNot(Query, Query)
  /// What both find, as relevant as the first says.
  case filter(Query, by: Query)
  /// What the first finds, and so much more relevant where the second finds it too.
  case prefer(Query, where: Query, by: Double)
  /// What the first finds; where the second finds it too, its relevance is added.
  case raise(Query, by: Query)
  /// Documents with a number in `slot`: as relevant as 1 from `newest` on, half as much for every `half` less.
  case recency(slot: UInt32, newest: Double, half: Double)
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
    case .range(let slot, let low, let high): add(CX_QUERY_RANGE, slot: slot, low: low, high: high)
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
    case .best(let operands): append(operands, CX_QUERY_MAX)
    case .scaled(let query, let factor):
      append(query)
      add(CX_QUERY_SCALE, count: 1, low: factor)
    case .andNot(let left, let right):
      append(left)
      append(right)
      add(CX_QUERY_AND_NOT)
    case .filter(let query, let condition):
      append(query)
      append(condition)
      add(CX_QUERY_FILTER)
    case .prefer(let query, let condition, let weight):
      append(query)
      append(condition)
      add(CX_QUERY_PREFER, low: weight)
    case .raise(let query, let other):
      append(query)
      append(other)
      add(CX_QUERY_RAISE)
    case .recency(let slot, let newest, let half): add(CX_QUERY_RECENCY, slot: slot, low: newest, high: half)
    }
  }

  private mutating func append(_ operands: [Query], _ kind: Int) {
    for operand in operands { append(operand) }
    add(kind, count: operands.count)
  }

  private mutating func add(
    _ kind: Int, text: [UInt8] = [], count: Int = 0, slot: UInt32 = 0, low: Double = 0, high: Double = 0
  ) {
    nodes.append(
      cx_query_node(
        kind: UInt32(kind), slot: slot, count: UInt32(count), at: bytes.count, length: text.count, low: low, high: high
      ))
    bytes += text
  }
}
