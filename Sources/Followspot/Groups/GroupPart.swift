internal import IndexDefinitions
internal import SearchIndex

/// The stores of a group whose indexes have the same fields: one compiled query searches all of them.
struct GroupPart {
  /// The store whose definition compiles the query. Its index is searched together with the others.
  let lead: Searcher
  /// The indices of the stores in the group.
  let members: [Int]
  var plan = QueryPlan()
  /// The words of the query, for the second stage.
  var matches: [QueryMatch] = []
}

extension SearchGroup {
  /// Divides the stores by the fields of their indexes, in the order of the group.
  ///
  /// - Parameter isPerStore: Whether each store is a part of its own, because a condition is about its history.
  func parts(isPerStore: Bool) -> [GroupPart] {
    var order: [String] = []
    var found: [String: [Int]] = [:]
    for (number, member) in members.enumerated() {
      let key = isPerStore ? String(number) : member.searcher.index.layoutKey
      if found[key] == nil { order.append(key) }
      found[key, default: []].append(number)
    }
    return order.compactMap { found[$0] }.map { GroupPart(lead: members[$0[0]].searcher, members: $0) }
  }

  /// Whether a query has conditions on the history, which every store answers for itself.
  func usesHistory(_ request: SearchRequest) -> Bool {
    members.contains { member in
      guard let parsed = try? member.searcher.parse(request) else { return false }
      return parsed.root.names.contains { HistoryField($0, in: member.searcher.index.fields) != nil }
    }
  }
}

extension OpenIndex {
  /// Equal for two indexes if one compiled query means the same in both.
  var layoutKey: String {
    let fields = fields.names.compactMap { self.fields[$0] }.map { field in
      let roles = field.roles.map(\.rawValue).sorted().joined(separator: ",")
      let languages = field.languages.map { $0 ?? "-" }.sorted().joined(separator: ",")
      return "\(field.name) \(field.fieldPrefix) \(field.slot) \(roles) \(languages) \(field.hasKeys) "
        + "\(field.slotContent.map { "\($0)" } ?? "-") \(field.unit.map { "\($0)" } ?? "-")"
    }
    let entities = definition.entities.sorted { $0.key < $1.key }.map { name, entity in
      "\(name) \(entity.identify ?? "-") \(entity.title ?? "-") \(entity.boost ?? "-")"
    }
    let synonyms = definition.synonyms.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return [definition.language, definition.stopWords.joined(separator: " ")].joined(separator: "\n") + "\n"
      + (fields + ["-"] + entities + ["-"] + synonyms).joined(separator: "\n")
  }
}

extension QueryNode {
  /// The names before colons.
  fileprivate var names: [String] {
    switch self {
    case .field(let name, _, _, _), .range(let name, _, _, _): [name]
    case .and(let operands), .or(let operands): operands.flatMap(\.names)
    case .not(let operand): operand.names
    default: []
    }
  }
}
