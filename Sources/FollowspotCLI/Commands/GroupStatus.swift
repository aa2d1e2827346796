// SPDX-License-Identifier: MIT

internal import Following
internal import Indexing
internal import PersistentStore
internal import Scaling
internal import Searching
internal import ShellInterface
internal import Values

/// The state of several stores, as `status` prints it.
struct GroupStatus {
  enum PartStatus {
    case store(Status)
    case remote(RemoteStatus)
  }

  let rows: [(name: String, status: Result<PartStatus, any Error>)]

  init(_ parts: [GroupedPart]) {
    rows = parts.map { part in
      switch part {
      case .store(let store):
        (store.name, Result { .store(try Status(storePath: store.path, directory: store.directory)) })
      case .remote(let address): (address.description, Result { .remote(try RemoteStatus(RemoteIndex(address))) })
      }
    }
  }

  /// Prints one line for each store, and the errors of those that cannot be read.
  ///
  /// - Returns: The exit code of the first error.
  func print(json: Bool) throws -> ExitCode {
    if json {
      try Console.write(json: try GroupStatusDocument(self))
    } else {
      let header = ["store", "records", "token", "lag", "follower"]
      let cells = rows.map { name, status in [name] + (Self.cells(status)) }.map { $0.map(\.printable) }
      if Console.isOutputTerminal {
        let lines = AlignedTable([header] + cells, width: Console.width).lines { cell, row, _ in
          row == 0 ? Style.bold(cell) : cell
        }
        for line in lines { Console.write(line + "\n") }
      } else {
        for row in cells { Console.write(row.joined(separator: "\t") + "\n") }
      }
    }
    var code = ExitCode.success
    for case (let name, .failure(let error)) in rows {
      Console.say("\(name): \(error)")
      if code == .success { code = ErrorReport.code(of: error) }
    }
    return code
  }

  private static func cells(_ status: Result<PartStatus, any Error>) -> [String] {
    switch status {
    case .failure: ["-", "-", "error", "-"]
    case .success(.store(let status)): cells(status)
    // What its store has saved since is not known here.
    case .success(.remote(let remote)): [String(remote.documents), String(remote.token), "unknown", "remote"]
    }
  }

  private static func cells(_ status: Status) -> [String] {
    guard let index = status.index else { return ["-", "-", "no index", "-"] }
    let token = status.tracking.hasHistory ? "\(index.state.token?.number ?? 0) of \(status.newest)" : "-"
    let lag = status.fault ?? (status.lagTransactions == 0 ? "none" : "\(status.lagTransactions)")
    return [String(index.documents), token, lag, status.follower.map { $0.state } ?? "none"]
  }
}

/// The output of `status --format json` for several stores.
struct GroupStatusDocument: Encodable {
  struct Store: Encodable {
    let name: String
    var status: StatusDocument?
    var remote: RemoteStatusDocument?
    var error: String?

    private enum Key: String, CodingKey { case name, status, remote, error }

    func encode(to encoder: any Encoder) throws {
      var document = encoder.container(keyedBy: Key.self)
      try document.encode(name, forKey: .name)
      if let status { try document.encode(status, forKey: .status) }
      if let remote { try document.encode(remote, forKey: .remote) }
      if let error { try document.encode(error, forKey: .error) }
    }
  }

  let format = FormatVersion.current
  let stores: [Store]

  init(_ group: GroupStatus) throws {
    stores = try group.rows.map { name, status in
      switch status {
      case .success(.store(let status)): Store(name: name, status: try StatusDocument(status))
      case .success(.remote(let remote)): Store(name: name, remote: RemoteStatusDocument(remote))
      case .failure(let error): Store(name: name, error: String(describing: error))
      }
    }
  }
}

/// The state of a remote index.
struct RemoteStatusDocument: Encodable {
  let uuid: String
  let format: String
  let documents: Int
  let complete: CompleteDocument
  let token: Int64
  let checksum: String

  init(_ status: RemoteStatus) {
    complete = CompleteDocument(status.complete)
    (uuid, format, documents) = (status.uuid, status.state.format, status.documents)
    (token, checksum) = (status.token, status.state.checksumText)
  }
}
