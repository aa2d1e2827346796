internal import Followspot
internal import PersistentStore

/// The state of several stores, as `status` prints it.
struct GroupStatus {
  let rows: [(name: String, status: Result<Status, any Error>)]

  init(_ stores: [GroupedStore]) {
    rows = stores.map { store in
      (store.name, Result { try Status(storePath: store.path, directory: store.directory) })
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
      let cells = rows.map { name, status in [name] + (Self.cells(status)) }.map { $0.map(Visible.line) }
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
      if code == .success { code = ExitCode(error) }
    }
    return code
  }

  private static func cells(_ status: Result<Status, any Error>) -> [String] {
    guard let status = try? status.get() else { return ["-", "-", "error", "-"] }
    guard let index = status.index else { return ["-", "-", "no index", "-"] }
    let token = status.tracking.hasHistory ? "\(index.state.token?.number ?? 0) of \(status.newest)" : "-"
    let lag =
      status.verdict != .valid
      ? index.state.sentence(of: status.verdict) : status.lagTransactions == 0 ? "none" : "\(status.lagTransactions)"
    return [String(index.documents), token, lag, status.follower.map { $0.state } ?? "none"]
  }
}

/// The output of `status --format json` for several stores.
struct GroupStatusDocument: Encodable {
  struct Store: Encodable {
    let name: String
    let status: StatusDocument?
    let error: String?
  }

  let format = 1
  let stores: [Store]

  init(_ group: GroupStatus) throws {
    stores = try group.rows.map { name, status in
      switch status {
      case .success(let status): Store(name: name, status: try StatusDocument(status), error: nil)
      case .failure(let error): Store(name: name, status: nil, error: String(describing: error))
      }
    }
  }
}
