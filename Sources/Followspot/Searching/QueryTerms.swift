internal import SearchIndex

/// The words that a query looks for, as they are in the index: what a snippet highlights.
struct QueryTerms {
  struct Term: Hashable {
    /// The letters of the field; empty for all fields.
    let letters: String
    /// The folded word or its stem, or the beginning of words.
    let text: [UInt8]
    let kind: Kind

    enum Kind: Hashable { case word, stem, beginning }
  }

  private(set) var terms: Set<Term> = []

  init(_ query: Query) { collect(query) }

  private mutating func collect(_ query: Query) {
    switch query {
    case .everything, .nothing, .range, .among: break
    case .term(let term): add(term, .word)
    case .wildcard(let beginning, _): add(beginning, .beginning)
    case .phrase(let terms), .near(let terms, _): for term in terms { add(term, .word) }
    case .and(let operands), .or(let operands), .best(let operands): for operand in operands { collect(operand) }
    case .andNot(let query, _), .prefer(let query, _, _), .scaled(let query, _): collect(query)
    case .filter(let query, let condition):
      collect(query)
      collect(condition)
    }
  }

  private mutating func add(_ term: [UInt8], _ kind: Term.Kind) {
    var rest = term[...]
    var kind = kind
    if rest.first == UInt8(ascii: "Z") {
      kind = .stem
      rest = rest.dropFirst()
    }
    var letters = ""
    if rest.starts(with: "XT".utf8) {
      rest = rest.dropFirst(2)
      let capitals = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      letters = String(decoding: capitals, as: UTF8.self)
      rest = rest.dropFirst(capitals.count)
      if rest.first == UInt8(ascii: "."), let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
        rest = rest[(colon + 1)...]
      }
    }
    // Every other prefix is capital letters: no words.
    guard let first = rest.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return }
    terms.insert(Term(letters: letters, text: Array(rest), kind: kind))
  }
}
