// SPDX-License-Identifier: MIT

/// The keys inside JSON values that any store of a group has. A store without such a key has no match for a condition on
/// it, but the condition is not a mistake.
final class GroupKeys {
  private struct Question: Hashable {
    let name: String
    let orBelow: Bool
  }

  private let members: [GroupMember]
  private let names: [String]
  private let views: GroupViews?
  private var known: [Question: Bool] = [:]

  /// - Parameters:
  ///   - names: The names of the members, and of the stores that do not answer after them.
  ///   - views: The views of the members; nil if their indexes alone are asked.
  fileprivate init(_ members: [GroupMember], _ names: [String], _ views: GroupViews?) {
    (self.members, self.names, self.views) = (members, names, views)
  }

  /// What the view of a member knows about the others.
  func context(of number: Int) -> GroupContext { GroupContext(names, number: number, hasKeys: contains) }

  /// As `GroupContext.KeyLookup`.
  func contains(_ name: String, orBelow: Bool) throws -> Bool {
    let question = Question(name: name, orBelow: orBelow)
    if let known = known[question] { return known }
    let isKnown = try members.indices.contains { number in
      if let view = views?.opened(number) { return try view.searched.hasKeys(name, orBelow: orBelow, in: view.reader) }
      let index = try members[number].index()
      return try index.searched.hasKeys(name, orBelow: orBelow, in: index.reader)
    }
    known[question] = isKnown
    return isKnown
  }
}

extension SearchGroup {
  /// - Parameter views: The views of the members; nil if their indexes alone are asked.
  func keys(_ views: GroupViews? = nil) -> GroupKeys { GroupKeys(members, storeNames, views) }
}
