// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
internal import Store

/// Serves an index to replicas, with Xapian's program, until a stop signal.
package struct ReplicationServer {
  private let storePath: String
  private let directory: IndexDirectory
  private let address: NetworkAddress
  private let changesets: Int
  private let report: (String) -> Void

  /// The number of commits whose changes are kept without another choice.
  package static let changesets = 200
  package static let port = 7730

  /// - Parameter changesets: The number of commits whose changes are kept for replicas.
  package init(
    storePath: String, directory: IndexDirectory, address: NetworkAddress, changesets: Int,
    report: @escaping (String) -> Void
  ) {
    self.storePath = storePath
    self.directory = directory
    self.address = address
    self.changesets = changesets
    self.report = report
  }

  /// The index and the address.
  package var description: String { "\(directory.path) at \(address)" }

  /// - Parameter ready: Called once, when replicas can connect.
  /// - Throws: `IndexError.missing`, `OperationError.locked` if the index is served already, `.file` if the address
  ///   cannot be used.
  package func run(ready: () -> Void) throws {
    let program = try XapianProgram.replicationServer.path()
    guard !directory.isReplica else {
      throw IndexError(
        .foreign, "\(directory.path) is a replica, which cannot be served", recovery: .chooseOtherDirectory)
    }
    let store = try StoreFile.open(storePath, readings: directory.readings)
    guard try directory.serving() != nil else { throw IndexError.missing(directory) }
    try directory.serve(changesets: changesets)
    let lock = try FileLock(.served, in: directory, verb: "replicate serve")
    defer { withExtendedLifetime(lock) {} }
    var announced = try announce(store, after: nil)
    let server = ProgramServer(
      program: program, words: ["--interface=\(address.host)", "--port=\(address.port)", directory.servedPath],
      address: address, report: report)
    try server.run(ready: ready) {
      // The store may be busy, and a generation may be replaced: the next round announces it.
      announced = (try? announce(store, after: announced)) ?? announced
      lock.note(state: "serving")
    }
  }

  /// Announces the state of the index, if it has changed.
  private func announce(_ store: PersistentStore, after known: Announcement?) throws -> Announcement {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    let state = try IndexState.read(path: serving.path)
    let announcement = Announcement(
      format: state.format, token: state.token?.number ?? 0, newest: try store.newest(), generation: serving.number,
      home: Announcement.home(of: directory.path))
    if announcement != known { try announcement.write(to: directory.servedPath + "/announced") }
    return announcement
  }
}
