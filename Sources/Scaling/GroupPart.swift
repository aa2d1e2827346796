// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import SearchIndex
internal import Searching

/// The stores of a group whose indexes have the same fields: one compiled query searches all of them.
struct GroupPart {
  /// The store whose definition compiles the query. Its index is searched together with the others.
  let lead: Searcher
  /// The indices of the stores in the group.
  let members: [Int]
}

extension SearchGroup {
  /// Divides the stores by the fields of their indexes, in the order of the group.
  ///
  /// - Parameter isPerStore: Whether each store is a part of its own, because a condition is about its history.
  func parts(isPerStore: Bool) throws -> [GroupPart] {
    var order: [String] = []
    var found: [String: [Int]] = [:]
    for (number, member) in members.enumerated() {
      let key = isPerStore ? String(number) : member.searched.layoutKey
      if found[key] == nil { order.append(key) }
      found[key, default: []].append(number)
    }
    return try order.compactMap { found[$0] }.map { GroupPart(lead: try members[$0[0]].current(), members: $0) }
  }

  /// Whether a query has conditions on the history, which every store answers for itself.
  func usesHistory(_ request: SearchRequest) -> Bool {
    members.contains { member in
      let fields = member.searched
      guard let parsed = try? fields.parse(request) else { return false }
      return fields.usesHistory(parsed)
    }
  }
}
