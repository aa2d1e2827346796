// SPDX-License-Identifier: MIT

internal import Base
internal import Glibc
internal import SearchIndex

struct ReplicateCommand: Verb {
  static let description = CommandDescription(
    name: "replicate", arguments: "serve [STORE] | from HOST:PORT DIRECTORY | off [STORE]",
    summary: "copy the index to other machines, and keep the copies up to date",
    details: """
      serve offers the index to replicas, until SIGTERM or SIGINT. The writer of the index then keeps the changes of its last
      commits. It listens on the loopback interface, unless --listen names another address. The protocol has no passwords
      and no encryption: serve on a private network, or through a tunnel.
      from copies an index to DIRECTORY, and then applies its changes. With --follow, it does so until SIGTERM or SIGINT. A
      replica that is too late or damaged is copied again as a whole. It stays readable meanwhile.
      off ends what serve began: the writer keeps no changes any more.
      A replica needs no store: followspot --index DIRECTORY search QUERY prints the fields that the index stores. status
      prints how far it is behind. The programs are those of Debian's package xapian-tools.
      """,
    examples: [
      "followspot --store movies.store replicate serve",
      "followspot --store movies.store replicate serve --listen 10.0.0.1:7730",
      "followspot replicate from 10.0.0.1:7730 movies.replica --follow",
      "followspot --index movies.replica search toy friendship",
      "followspot --store movies.store replicate off",
    ],
    words: [("serve", []), ("from", []), ("off", [])])

  private let listening = ListeningOptions(
    "serve: address to listen on (default: 127.0.0.1:\(ReplicationServer.port))", port: ReplicationServer.port)
  @Option(
    "--changesets", "N",
    "serve: commits whose changes are kept, at most the size of the index (default: \(ReplicationServer.changesets))",
    atLeast: 1)
  private var changesets: Int?
  @Option("--follow", "from: keep running, and apply every change") var follows: Bool
  @Option(time: "--interval", "TIME", "from --follow: time between two updates (default: 1s)") var interval: Int?
  @Option(
    time: "--patience", "TIME", "from: end a transfer that makes no progress for so long (default: 30s)")
  var patience: Int?

  func run(_ call: Call) throws -> ExitCode {
    switch call.positionals.first {
    case "serve": return try serve(call)
    case "from": return try update(call)
    case "off":
      try call.take([], positionals: 2)
      try namedStore(call).indexDirectory().endServing()
      return .success
    case let other?: throw call.usageError("replicate has no subcommand '\(other)'")
    case nil: throw call.usageError("replicate takes serve, from or off")
    }
  }

  /// The same call, whose store an argument may name.
  private func namedStore(_ call: Call) throws -> Call { try call.naming(store: call.positionals.dropFirst().first) }

  private func serve(_ call: Call) throws -> ExitCode {
    try call.take(["--listen", $changesets], positionals: 2)
    let call = try namedStore(call)
    let server = ReplicationServer(
      storePath: try call.storePath(), directory: try call.indexDirectory(), address: listening.address,
      changesets: changesets ?? ReplicationServer.changesets
    ) { Console.say($0) }
    try server.run { Console.say("serving \(server.description), pid \(getpid())") }
    return .success
  }

  private func update(_ call: Call) throws -> ExitCode {
    try call.take([$follows, $interval, $patience], positionals: 3)
    let example = "followspot replicate from 10.0.0.1:7730 movies.replica"
    guard call.positionals.count == 3 else {
      throw CommandError("replicate from takes HOST:PORT and a directory", hint: example)
    }
    guard let source = NetworkAddress(call.positionals[1]) else {
      throw CommandError("replicate from takes HOST:PORT, not '\(call.positionals[1])'", hint: example)
    }
    if interval != nil, !follows { throw CommandError("--interval needs --follow") }
    var options = ReplicaUpdate.Options(source: source, directory: IndexDirectory(path: call.positionals[2]))
    options.patience = .milliseconds(max(1_000, patience ?? 30_000))
    options.report = { Console.say($0) }
    let update = try ReplicaUpdate(options)
    guard follows else {
      _ = StopSignal.catchFromNow()
      Console.say(try update.run().sentence)
      return .success
    }
    try ReplicaFollower(update, interval: max(100, interval ?? 1_000)) { Console.say($0) }.run { outcome in
      Console.say(outcome.sentence)
      Console.say("following \(source) from token \(outcome.token), pid \(getpid())")
    }
    return .success
  }
}

extension ReplicaUpdate.Outcome {
  fileprivate var sentence: String {
    let what = isCopied ? "copied the index" : hasChanged ? "applied the changes" : "nothing has changed"
    return "\(what): token \(token), \(HumanText.count(documents, "record"))"
  }
}
