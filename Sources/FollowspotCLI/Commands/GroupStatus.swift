// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

/// The state of several stores, as `status` prints it.
struct GroupStatus {
  enum PartStatus {
    case store(Status)
    case remote(RemoteStatus)
  }

  let rows: [(name: String, status: Result<PartStatus, any Error>)]

  /// Whether the state of at least one of them can be read.
  private var isRead: Bool { rows.contains { (try? $0.status.get()) != nil } }

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
      try document().print()
    } else {
      let header = ["store", "records", "token", "lag", "follower"]
      let cells = rows.map { name, status in [name] + (Self.cells(status)) }.map { $0.map(\.printable) }
      if Console.isOutputTerminal {
        let lines = AlignedTable([header] + cells, width: Console.width).lines { cell, row, _ in
          row == 0 ? Style.bold(cell) : cell
        }
        for line in lines { Console.write(line: line) }
      } else {
        for row in cells { Console.write(line: row.joined(separator: "\t")) }
      }
    }
    var code = ExitCode.success
    for case (let name, .failure(let error)) in rows {
      Console.say("\(name): \(error)")
      if code == .success { code = ErrorReport.code(ofGroup: error, worked: isRead) }
    }
    return code
  }

  private func document() throws -> JSONObject {
    let stores = try rows.map { name, status -> JSONObject in
      switch status {
      case .success(.store(let status)): ["name": name, "status": try JSONObject(status)]
      case .success(.remote(let remote)): ["name": name, "remote": JSONObject(remote)]
      case .failure(let error): ["name": name, "error": String(describing: error)]
      }
    }
    return .document(["stores": stores])
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
    let lag = status.fault ?? status.lagTransactions.map { $0 == 0 ? "none" : String($0) } ?? "unknown"
    return [String(index.documents), token, lag, status.follower.map { $0.state } ?? "none"]
  }
}
