internal import Followspot
internal import FoundationEssentials
internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json }

  static let status = CommandDescription(
    name: "status", arguments: "", summary: "print how far the index is, and who works on it", details: "",
    examples: ["followspot --store movies.store status", "followspot --store movies.store status --format json"],
    options: [OptionDescription("--format", "FORMAT", "text or json")]
  ) { call in
    try call.noPositionals()
    let format = try call.choice("--format", Format.self) ?? .text
    let status = try Status(storePath: try call.storePath(), directory: try call.indexDirectory())
    Console.write(format == .json ? try status.json + "\n" : status.text)
    return .success
  }
}

extension Status {
  fileprivate var text: String {
    var rows = [("store", "\(storePath) (\(storeUUID))")]
    if let index {
      rows.append(("index", "\(index.path), generation \(index.generation), \(index.documents) documents"))
      rows.append(("token", "\(index.state.token?.number ?? 0) of \(newest)"))
      let lag =
        lagTransactions == 0
        ? "none" : "\(lagTransactions) transaction\(lagTransactions == 1 ? "" : "s"), \(Int(min(lagSeconds, 1e12))) s"
      rows.append(("lag", verdict == .goOn ? lag : verdict.sentence(token: index.state.token)))
      rows.append(("size", "\(index.bytes) bytes"))
      if index.failed > 0 { rows.append(("cut or left out", "\(index.failed) rows")) }
      if let last = index.state.lastReconcile {
        rows.append(("last healed", "\(last.at): \(last.reason)"))
      }
    } else {
      rows.append(("index", "none; followspot index makes it"))
      rows.append(("newest", "transaction \(newest)"))
    }
    if let follower { rows.append(("follower", "process \(follower.pid), \(follower.state)")) }
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
          json.pair("access", "history")
        }
        json.key("index")
        try writeIndex(&json)
        json.key("token")
        if let token = index?.state.token { json.integer(token.number) } else { json.null() }
        json.pair("newest", newest)
        json.key("oldest")
        if let oldest { json.integer(oldest) } else { json.null() }
        json.pair("lagTransactions", lagTransactions)
        json.pair("lagSeconds", number: lagSeconds)
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
      json.pair("certificate", index.state.certificateText)
    }
  }

  private func writeProcesses(_ json: inout JSONWriter) {
    json.key("follower")
    if let follower {
      json.object { json in
        json.pair("pid", follower.pid)
        json.pair("state", follower.state)
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

extension CommandDescription {
  static let schema = CommandDescription(
    name: "schema", arguments: "", summary: "print the model and the index definition in force, as JSON",
    details: "What it prints can be edited and passed back with --definition.",
    examples: ["followspot --store movies.store schema", "followspot --store movies.store schema > movies.json"],
    options: []
  ) { call in
    try call.noPositionals()
    let store = try PersistentStore.open(try call.storePath())
    let directory = try call.indexDirectory()
    let serving = try directory.serving()
    let definition =
      try serving.map { try IndexState.read(path: $0.path).definition } ?? .standard(for: store.layout.shape)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let printed = Printed(
      format: 1, store: Printed.Store(path: store.path, uuid: store.uuid), model: store.model, definition: definition)
    Console.write(String(decoding: try encoder.encode(printed), as: UTF8.self) + "\n")
    return .success
  }

  private struct Printed: Encodable {
    struct Store: Encodable {
      let path: String
      let uuid: String
    }

    let format: Int
    let store: Store
    let model: ModelDescription
    let definition: IndexDefinition
  }
}
