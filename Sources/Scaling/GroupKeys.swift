// SPDX-License-Identifier: MIT

internal import Searching

/// The keys inside JSON values that any store of a group has. A store without such a key has no match for a condition on
/// it, but the condition is not a mistake.
final class GroupKeys {
  private struct Question: Hashable {
    let name: String
    let orBelow: Bool
  }

  private let members: [GroupMember]
  private var known: [Question: Bool] = [:]

  init(_ members: [GroupMember]) { self.members = members }

  /// - Parameters:
  ///   - name: A field and keys, such as `people.name`.
  ///   - orBelow: Whether further keys below these count.
  private func contains(_ name: String, orBelow: Bool) throws -> Bool {
    let question = Question(name: name, orBelow: orBelow)
    if let known = known[question] { return known }
    let isKnown = try members.contains { try $0.index().hasOwnKeys(name, orBelow: orBelow) }
    known[question] = isKnown
    return isKnown
  }

  /// Runs `body` while the index of a store has the keys of the whole group.
  func shared<Result>(with searcher: Searcher, _ body: (Searcher) throws -> Result) rethrows -> Result {
    searcher.index.hasKeysElsewhere = { [self] in try contains($0, orBelow: $1) }
    defer { searcher.index.hasKeysElsewhere = nil }
    return try body(searcher)
  }
}
