// SPDX-License-Identifier: MIT

internal import Indexing
internal import SearchIndex
internal import SearchViews
internal import Searching
internal import Values

#if canImport(Glibc)
  internal import Glibc
#endif

/// The remote indexes of a group: they may not answer, or stop answering at any time.
extension SearchGroup {
  /// Runs `body` without the parts that stop answering meanwhile.
  func withAnsweringParts<Answer>(_ body: () throws -> Answer) throws -> Answer {
    try untilComplete {
      while true {
        do { return try body() } catch let error as IndexError {
          guard
            let index = members.firstIndex(where: { $0.isRemote && $0.remoteName == error.remote })
          else { throw error }
          missing.append(MissingPart(name: members[index].name, reason: String(describing: error)))
          members.remove(at: index)
          if members.isEmpty { throw incomplete }
        }
      }
    }
  }

  /// The names of the fields that each remote index stores.
  package var storedFieldsOfRemotes: [(name: String, fields: Set<String>)] {
    members.compactMap { member in member.opened?.storedFields.map { (member.name, $0) } }
  }

  /// How long missing parts are waited for.
  private static let patience = Duration.seconds(10)

  /// Runs `body` again while required parts are missing, until the time is over.
  func untilComplete<Result>(_ body: () throws -> Result) throws -> Result {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      let result = Swift.Result { try body() }
      if !requiresAll || missing.isEmpty { return try result.get() }
      guard ContinuousClock.now < deadline else { throw incomplete }
      usleep(200_000)
      for store in stores { store?.expire() }
      try connect()
    }
  }

  private var incomplete: OperationError {
    OperationError(
      .incomplete, missing.map(\.reason).joined(separator: "; "), recovery: .serveShards)
  }

  /// Connects to the remote parts.
  package func connect() throws {
    (members, missing) = ([], [])
    for (part, store) in zip(parts, stores) {
      switch part {
      case .store: if let store { members.append(store) }
      case .remote(let remote):
        let name = remote.address.description
        do { members.append(GroupMember(name: name, remote: try Searcher(remote: remote))) } catch {
          missing.append(MissingPart(name: name, reason: String(describing: error)))
        }
      }
    }
    try refuseCopies()
    refuseOtherFields()
    if members.isEmpty, !requiresAll { throw incomplete }
  }

  /// Overlays find the documents that they hide by the UUID of the database.
  private func refuseCopies() throws {
    var known: [String: String] = [:]
    for member in members {
      if let other = known.updateValue(member.name, forKey: try member.uuid) {
        throw OperationError(
          .usage, "the indexes of \(other) and \(member.name) are copies of each other", recovery: .rebuildIndex)
      }
    }
  }

  /// Drops the remote indexes whose fields differ from those of the first one. One query goes to all remote indexes, and
  /// it cannot find different documents in each.
  private func refuseOtherFields() {
    var first: GroupMember?
    members.removeAll { member in
      guard member.isRemote else { return false }
      guard let lead = first else {
        first = member
        return false
      }
      guard member.searched.layoutKey != lead.searched.layoutKey else { return false }
      missing.append(
        MissingPart(name: member.name, reason: "the fields of \(member.name) differ from those of \(lead.name)"))
      return true
    }
  }
}
