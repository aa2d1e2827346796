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

  /// - Parameter views: The views of the members; nil if their indexes alone are asked.
  init(_ members: [GroupMember], _ views: GroupViews? = nil) {
    (self.members, self.views, names) = (members, views, members.map(\.name))
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
