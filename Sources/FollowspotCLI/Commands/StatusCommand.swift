internal import Followspot
internal import FoundationEssentials
internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json }

  static let status = CommandDescription(
    name: "status", arguments: "", summary: "show how current the index is, and which processes update it", details: "",
    examples: ["followspot --store movies.store status", "followspot --store movies.store status --format json"],
    options: [OptionDescription("--format", "FORMAT", Format.self)]
  ) { call in
    try call.noPositionals()
    let format = try call.choice("--format", Format.self) ?? .text
    let status = try Status(storePath: try call.storePath(), directory: try call.indexDirectory())
    switch format {
    case .json: Console.write(try status.json + "\n")
    case .text where Console.isOutputTerminal: StatusSentences(status: status).print()
    case .text: Console.write(status.text)
    }
    return .success
  }
}

extension Status {
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
      let lag =
        lagTransactions == 0
        ? "none" : "\(lagTransactions) transaction\(lagTransactions == 1 ? "" : "s"), \(Int(min(lagSeconds, 1e12))) s"
      rows.append(("lag", verdict == .valid ? lag : index.state.sentence(of: verdict)))
      rows.append(("index size", "\(index.bytes) bytes"))
      if index.failed > 0 { rows.append(("cut or left out", "\(index.failed) rows")) }
      if let last = index.state.lastReconcile {
        rows.append(("reconciled", "\(last.at): \(last.reason)"))
      }
    } else {
      rows.append(("index", Advice.complete("none; followspot index makes it")))
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
    return CommandDescription.table(rows.map { ($0.0, Visible.line($0.1)) })
  }

  fileprivate var json: String {
    get throws {
      var json = JSONWriter()
      try json.object { json in
        json.pair("format", 1)
        json.key("store")
        json.object { json in
          json.pair("path", storePath)
          json.pair("uuid", storeUUID)
          json.pair("access", copyReason != nil ? "copied" : tracking.rawValue)
          json.pair("bytes", sizes.bytes)
          json.pair("walBytes", sizes.walBytes)
          json.key("history")
          json.object { json in
            json.pair("transactions", sizes.transactions)
            json.pair("changes", sizes.changes)
            json.pair("bytes", sizes.historyBytes)
          }
          json.key("remarks")
          json.array { json in for remark in remarks { json.string(remark) } }
        }
        json.key("index")
        try writeIndex(&json)
        json.pair("token", index?.state.token?.number)
        json.pair("newest", newest)
        json.pair("oldest", oldest)
        json.pair("lagTransactions", lagTransactions)
        json.pair("lagSeconds", number: lagSeconds)
        json.pair("futureStamp", futureStamp?.transaction)
        json.key("consumers")
        if let consumers {
          json.array { json in for consumer in consumers { consumer.write(to: &json) } }
        } else {
          json.null()
        }
        writeProcesses(&json)
        json.pair("failed", index?.failed ?? 0)
        json.pair("skippedUpdates", index?.state.skippedUpdates ?? 0)
        json.key("lastReconcile")
        writeReconciliation(&json)
      }
      return json.text
    }
  }

  private func writeIndex(_ json: inout JSONWriter) throws {
    guard let index else { return json.null() }
    let digest = try index.state.definition.digest()
    json.object { json in
      json.pair("path", index.path)
      json.pair("uuid", index.uuid)
      json.pair("generation", index.generation)
      json.pair("builtFrom", index.state.builtFrom.rawValue)
      json.pair("documents", index.documents)
      json.pair("bytes", index.bytes)
      json.pair("definitionDigest", digest)
      json.pair("checksum", index.state.checksumText)
    }
  }

  private func writeProcesses(_ json: inout JSONWriter) {
    json.key("follower")
    if let follower {
      json.object { json in
        json.pair("pid", follower.pid)
        json.pair("state", follower.state)
        json.pair("since", follower.since)
        json.pair("reason", follower.reason)
      }
    } else {
      json.null()
    }
    json.key("rebuild")
    if let rebuild {
      json.object { json in
        json.pair("pid", rebuild.pid)
        json.pair("done", rebuild.done)
        json.pair("total", rebuild.total)
      }
    } else {
      json.null()
    }
  }

  private func writeReconciliation(_ json: inout JSONWriter) {
    guard let last = index?.state.lastReconcile else { return json.null() }
    json.object { json in
      json.pair("reason", last.reason)
      json.pair("added", last.added)
      json.pair("updated", last.updated)
      json.pair("removed", last.removed)
      json.pair("at", last.at)
    }
  }
}
