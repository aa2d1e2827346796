// SPDX-License-Identifier: MIT

internal import Following
internal import ForeignStores
internal import PersistentStore
internal import ShellInterface

extension CommandDescription {
  static func consumers(_ call: Invocation) throws -> ExitCode {
    guard let verb = call.positionals.dropFirst().first else {
      try call.take(["--format", "--stale-after"], positionals: 1)
      return try listConsumers(call)
    }
    guard ["add", "move", "drop"].contains(verb) else {
      throw CommandError("history consumers has no subcommand '\(verb)'", hint: "followspot help history")
    }
    try call.take(verb == "drop" ? [] : ["--token"], positionals: 3)
    guard call.positionals.count == 3 else {
      throw CommandError("history consumers \(verb) takes the name of a consumer")
    }
    let name = call.positionals[2]
    let path = try call.storePath()
    // An error of the store is reported before an error of its consumers.
    _ = try StoreFile.open(path)
    let consumers = Consumers(storePath: path)
    let token = try call.integer("--token").map(Int64.init)
    func printed(_ consumer: Consumer) throws {
      Console.accomplished = "the consumer '\(name)' is at transaction \(consumer.token ?? 0)"
      try Console.write(json: ConsumerDocument(consumer))
    }
    switch (verb, token) {
    case ("add", _): try printed(consumers.add(name, token: token))
    case ("move", let token?): try printed(consumers.move(name, token: token))
    case ("move", nil): throw CommandError("history consumers move needs --token N")
    default: try consumers.drop(name)
    }
    return .success
  }

  private static func listConsumers(_ call: Invocation) throws -> ExitCode {
    let format = try call.choice("--format", HistoryFormat.self) ?? .text
    let path = try call.storePath()
    let store = try StoreFile.open(path)
    let staleAfter = try call.staleAfter()
    let consumers = try store.withSnapshot {
      try Consumers(storePath: path).statuses(in: store, staleAfter: staleAfter)
    }
    switch format {
    case .text:
      for consumer in consumers {
        let lag = consumer.lag.map { ", \($0) behind" } ?? ""
        let place = consumer.token.map { "at \($0)\(lag)" } ?? "nowhere"
        Console.write("\(consumer.name)  \(place)  \(consumer.statusText)".printable + "\n")
      }
    case .tsv: for consumer in consumers { Console.write(consumer.row + "\n") }
    case .ndjson: for consumer in consumers { try Console.write(json: ConsumerDocument(consumer)) }
    case .json: try Console.write(json: ConsumersDocument(consumers: consumers.map(ConsumerDocument.init)))
    }
    return consumers.isEmpty ? .negative : .success
  }
}

extension Consumer {
  /// One line: name, token, lag, time of the last progress, and state.
  fileprivate var row: String {
    [name, token.map { String($0) } ?? "", lag.map { String($0) } ?? "", seenText ?? "", state.rawValue]
      .map(\.printable).joined(separator: "\t")
  }
}
