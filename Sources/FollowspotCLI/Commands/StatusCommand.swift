// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

struct StatusCommand: Verb {
  static let description = CommandDescription(
    name: "status", summary: "show how current the index is, and which processes update it",
    details: """
      --watch shows the lag, the rates of saving and indexing, a graph of the lag and the last transactions, and reads them
      about once a second. The key q or Ctrl-C ends it. If standard output is not a terminal, it prints a line for each change.
      If a group or several stores are named, it prints a line for each: records, token, lag and follower.
      With --index DIRECTORY of a replica, and without --store, it shows the state of the replica.
      """,
    examples: [
      "followspot --store movies.store status", "followspot --store movies.store status --format json",
      "followspot --store movies.store status --watch",
    ])

  @Option("--format", "FORMAT") var format: DocumentFormat?
  @Option("--watch", "show the state continuously until q or Ctrl-C") var watches: Bool

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    if let parts = try call.groupedParts() {
      if watches { throw CommandError("--watch shows one store, not several") }
      return try GroupStatus(parts).print(json: format == .json)
    }
    if let replica = try call.replicaDirectory() {
      guard !watches else { throw CommandError("--watch needs the store, which a replica does not have") }
      let status = try ReplicaStatus(replica)
      if format == .json { try JSONObject(status).print() } else { Console.write(status.text) }
      return .success
    }
    if watches {
      guard format != .json else { throw CommandError("--watch prints text") }
      let watch = StatusWatch(storePath: try call.storePath(), directory: try call.indexDirectory())
      if Console.isOutputTerminal, !Style.isDumb { try watch.show() } else { try watch.printLines() }
      return .success
    }
    let status = try Status(storePath: try call.storePath(), directory: try call.indexDirectory())
    if format == .json {
      try JSONObject(status).print()
    } else if Console.isOutputTerminal {
      StatusSentences(status).print()
    } else {
      Console.write(status.text)
    }
    return .success
  }
}

extension ReplicaStatus {
  fileprivate var text: String {
    var rows = [("replica", "\(path) of \(replication.source)")]
    if let index {
      rows.append(("index", "\(HumanText.count(index.documents, "document")), \(index.bytes) bytes"))
      rows.append(("token", "\(token ?? 0)\(newest.map { " of \($0)" } ?? "")"))
    } else {
      rows.append(("index", "none; the first copy is not complete yet"))
    }
    if let lagTransactions {
      let lag = lagTransactions == 0 ? "none" : HumanText.count(lagTransactions, "transaction")
      rows.append(("lag", "\(lag), as its source said \(Int(silence ?? 0)) s ago"))
    } else {
      rows.append(("lag", "unknown"))
    }
    rows.append(("whole copies", String(replication.copies)))
    if let failure = replication.failure { rows.append(("failure", failure)) }
    if let follower { rows.append(("follower", "process \(follower.pid), \(follower.state) since \(follower.since)")) }
    return Help.table(rows.map { ($0.0, $0.1.printable) })
  }
}

extension Status {
  /// The reason why the number of transactions after the token is not the lag; nil if it is the lag, or if there is no
  /// index.
  var fault: String? {
    guard let index, verdict != .valid else { return nil }
    return (verdict.isOpen ? "unknown: " : "") + index.state.sentence(of: verdict)
  }

  fileprivate var text: String {
    var rows = [("store", "\(storePath) (\(storeUUID))")]
    let log = sizes.walBytes > 0 ? ", and \(sizes.walBytes) in its -wal" : ""
    rows.append(("store size", "\(sizes.bytes) bytes\(log)"))
    if tracking != .history { rows.append(("access", tracking.rawValue)) }
    if let copyReason { rows.append(("access", "copied: a private copy is read, because \(copyReason.text)")) }
    if tracking.hasHistory {
      let history = sizes.historyBytes.map { ", \($0) bytes" } ?? ""
      rows.append(("history", "\(sizes.transactions) transactions, \(sizes.changes) changes\(history)"))
    }
    for remark in remarks { rows.append(("note", remark)) }
    if let futureStamp { rows.append(("clock", futureStamp.sentence)) }
    if let index {
      rows.append(("index", "\(index.path), generation \(index.generation), \(index.documents) documents"))
      if tracking.hasHistory { rows.append(("token", "\(index.state.token?.number ?? 0) of \(newest)")) }
      let lag = lagTransactions.map {
        $0 == 0 ? "none" : "\(HumanText.count($0, "transaction")), \(Int(min(lagSeconds ?? 0, 1e12))) s"
      }
      rows.append(("lag", fault ?? lag ?? "unknown"))
      rows.append(("index size", "\(index.bytes) bytes"))
      let leftOut = index.state.leftOut
      if leftOut.failed > 0 { rows.append(("truncated or rejected", "\(leftOut.failed) rows")) }
      for sentence in leftOut.sentencesOfGroups() { rows.append(("left out", sentence)) }
      if let last = index.state.lastReconcile {
        rows.append(("reconciled", "\(last.at): \(last.reason)"))
      }
    } else {
      rows.append(("index", CommandHints.complete("none; followspot index builds it")))
      if tracking.hasHistory { rows.append(("newest", "transaction \(newest)")) }
    }
    for consumer in consumers ?? [] {
      let place = consumer.token.map { "at \($0), " } ?? ""
      rows.append(("consumer", "\(consumer.name), \(place)\(consumer.statusText)"))
    }
    if let follower {
      let reason = follower.reason.map { ": \($0)" } ?? ""
      rows.append(("follower", "process \(follower.pid), \(follower.state) since \(follower.since)\(reason)"))
    }
    if let rebuild { rows.append(("rebuild", "process \(rebuild.pid), \(rebuild.done) of \(rebuild.total) rows")) }
    return Help.table(rows.map { ($0.0, $0.1.printable) })
  }
}
