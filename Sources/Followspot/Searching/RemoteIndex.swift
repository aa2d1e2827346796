// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex
package import Values

/// The index of another machine, which `IndexServer` serves there.
package struct RemoteIndex: Sendable {
  package let address: NetworkAddress

  package init(_ address: NetworkAddress) { self.address = address }

  /// As errors name it.
  var name: String { "\(address.host):\(address.port)" }

  /// Connects to the server and reads the state of the index.
  ///
  /// - Throws: `IndexError.unreachable`; `FollowspotError.usage` if it serves something else.
  func open() throws -> IndexLocation.Opened {
    let reader = try IndexReader(host: address.host, port: address.port, patience: .init())
    let state = try read(reader)
    try reader.setStemmer(state.definition.language)
    return IndexLocation.Opened(generation: nil, reader: reader, state: state)
  }

  private func read(_ reader: IndexReader) throws -> IndexState {
    guard let format = try IndexState.format(of: reader) else {
      throw FollowspotError(
        .usage, "\(address) does not serve an index of this version of followspot", recovery: .sameVersion)
    }
    guard format == DocumentLayout.format else {
      throw FollowspotError(
        .usage, "\(address) serves an index of format \(format); this version reads \(DocumentLayout.format)",
        recovery: .sameVersion)
    }
    return try IndexState.read(reader)
  }
}

extension Searcher {
  /// Whether it searches the index of another machine.
  var isRemote: Bool { remoteName != nil }

  /// The host and the port of the index; nil if it is on this machine.
  var remoteName: String? { if case .remote(let remote)? = storeless { remote.name } else { nil } }

  /// Answers from the fields that the index of another machine stores.
  ///
  /// - Throws: `IndexError.unreachable`, `.corrupt`; `FollowspotError.usage` if it serves something else.
  package convenience init(remote: RemoteIndex) throws { try self.init(storeless: .remote(remote)) }

  /// The state that the answer of another machine describes. What its store has saved since is not known here.
  func remoteSnapshot() throws -> Snapshot {
    let token = index.state.token?.number ?? 0
    var snapshot = Snapshot(
      indexStatus: IndexStatus(
        uuid: try index.uuid, generation: index.generation, token: token, lagTransactions: 0,
        lagSeconds: 0, complete: try index.completeness(pending: nil), isLagKnown: false, answersAt: token))
    snapshot.isWhole = false
    snapshot.note = "answered by a remote index at token \(token)"
    if stored?.names.isEmpty == true { snapshot.note? += "; it stores no fields, so records have no titles" }
    return snapshot
  }
}
