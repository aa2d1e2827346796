/// The keys inside JSON values that any store of a group has. A store without such a key has no match for a condition on
/// it, but the condition is not a mistake.
final class GroupKeys {
  private let members: [GroupMember]
  private var known: [String: Bool] = [:]

  init(_ members: [GroupMember]) { self.members = members }

  /// - Parameter name: A field and keys, such as `people.name`.
  private func contains(_ name: String) throws -> Bool {
    if let known = known[name] { return known }
    let isKnown = try members.contains { try $0.index().hasOwnKeys(name) }
    known[name] = isKnown
    return isKnown
  }

  /// Runs `body` while the index of a store has the keys of the whole group.
  func shared<Result>(with searcher: Searcher, _ body: (Searcher) throws -> Result) rethrows -> Result {
    searcher.index.hasKeysElsewhere = { [self] in try contains($0) }
    defer { searcher.index.hasKeysElsewhere = nil }
    return try body(searcher)
  }
}
