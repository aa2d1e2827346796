// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// The parts of a group that do not answer: a store or its index cannot be read, or another machine cannot be reached, or
/// that begins at any time.
extension SearchGroup {
  /// Runs `body` without the parts that stop answering meanwhile.
  func withAnsweringParts<Answer>(_ request: SearchRequest, _ body: () throws -> Answer) throws -> Answer {
    try untilComplete {
      while true {
        do { return try body() } catch  where error is IndexError || error is StoreError {
          let count = members.count
          try leaveOutParts(after: error, request)
          if members.count == count { throw error }
          if members.isEmpty { throw unanswered }
        }
      }
    }
  }

  /// Leaves out the remote index that the error names, or else the stores that cannot answer alone.
  private func leaveOutParts(after error: any Error, _ request: SearchRequest) throws {
    if let remote = (error as? IndexError)?.remote {
      guard let index = members.firstIndex(where: { $0.isRemote && $0.remoteName == remote }) else { return }
      missing.append(MissingPart(name: members.remove(at: index).name, reason: String(describing: error)))
    } else {
      try members.removeAll { member in
        guard let error = member.fault(answering: request) else { return false }
        try leaveOut(member.name, error)
        return true
      }
    }
  }

  /// Leaves out a store.
  ///
  /// - Throws: The error, if it is about the limits of this process.
  private func leaveOut(_ name: String, _ error: any Error) throws {
    missing.append(try Self.missing(name, error))
  }

  /// A store that is left out.
  ///
  /// - Throws: The error, if it is about the limits of this process.
  static func missing(_ name: String, _ error: any Error) throws -> MissingPart {
    if let error = error as? StoreError, [.limit, .full].contains(error.code) { throw error }
    if let error = error as? IndexError, [.limit, .full].contains(error.code) { throw error }
    return MissingPart(store: name, error)
  }

  /// The remote indexes, which can show some fields only.
  package var remotes: [(name: String, searcher: Searcher)] {
    members.compactMap { member in
      member.opened.flatMap { member.isRemote ? (member.name, $0) : nil }
    }
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
      refresh()
      try connect()
    }
  }

  /// Opens stores again that could not be opened, and lets the others be checked again.
  private func refresh() {
    stores = zip(parts, stores).map { part, store in
      guard case .store(let name, let path, let directory) = part, case .failure = store else { return store }
      return Result { try GroupMember(name: name, path: path, directory: directory) }
    }
    for store in stores { try? store?.get().expire() }
  }

  private var incomplete: OperationError {
    OperationError(
      .incomplete, missing.map(\.reason).joined(separator: "; "),
      recovery: missing.contains { $0.error == nil } ? .serveShards : nil)
  }

  /// The error if no part answers.
  private var unanswered: any Error {
    if let first = missing.first, missing.allSatisfy({ $0.error != nil }) { return first }
    return incomplete
  }

  /// Connects to the remote parts, and leaves out the stores that cannot be opened.
  func connect() throws {
    (members, missing) = ([], [])
    for (part, store) in zip(parts, stores) {
      switch part {
      case .store(let name, _, _):
        do { try store.map { members.append(try $0.get()) } } catch { try leaveOut(name, error) }
      case .remote(let remote):
        let name = remote.address.description
        do { members.append(GroupMember(name: name, opened: try Searcher(copy: .remote(remote)))) } catch {
          missing.append(MissingPart(name: name, reason: String(describing: error)))
        }
      }
    }
    try refuseCopies()
    refuseOtherFields()
    if members.isEmpty, !requiresAll { throw unanswered }
  }

  /// Overlays find the documents that they hide by the UUID of the database.
  func refuseCopies() throws {
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
