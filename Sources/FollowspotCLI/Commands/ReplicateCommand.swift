// SPDX-License-Identifier: MIT

internal import Following
internal import Glibc
internal import Indexing
internal import SearchIndex
internal import ShellInterface
internal import Values

extension CommandDescription {
  static let replicate = CommandDescription(
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
    options: [
      OptionDescription(
        "--listen", "ADDRESS:PORT", "serve: address to listen on (default: 127.0.0.1:\(ReplicationServer.port))"),
      OptionDescription(
        "--changesets", "N",
        "serve: commits whose changes are kept, at most the size of the index (default: \(ReplicationServer.changesets))"
      ),
      OptionDescription("--follow", nil, "from: keep running, and apply every change"),
      OptionDescription("--interval", "TIME", "from --follow: time between two updates (default: 1s)"),
      OptionDescription("--patience", "TIME", "from: end a transfer that makes no progress for so long (default: 30s)"),
    ],
    words: [("serve", []), ("from", []), ("off", [])]
  ) { call in
    switch call.positionals.first {
    case "serve": return try serve(call)
    case "from": return try replicate(call)
    case "off":
      try call.take([], positionals: 2)
      try call.naming(store: 1).indexDirectory().endServing()
      return .success
    case let other?:
      throw CommandError("replicate has no subcommand '\(other)'", hint: "followspot help replicate")
    case nil: throw CommandError("replicate takes serve, from or off", hint: "followspot help replicate")
    }
  }

  private static func serve(_ call: Invocation) throws -> ExitCode {
    try call.take(["--listen", "--changesets"], positionals: 2)
    let call = call.naming(store: 1)
    let address = try call.listeningAddress()
    let server = ReplicationServer(
      storePath: try call.storePath(), directory: try call.indexDirectory(),
      address: address ?? NetworkAddress(host: "127.0.0.1", port: ReplicationServer.port),
      changesets: try call.integer("--changesets", atLeast: 1) ?? ReplicationServer.changesets
    ) { Console.say($0) }
    try server.run { Console.say("serving \(server.description), pid \(getpid())") }
    return .success
  }

  private static func replicate(_ call: Invocation) throws -> ExitCode {
    try call.take(["--follow", "--interval", "--patience"], positionals: 3)
    guard call.positionals.count == 3 else {
      throw CommandError(
        "replicate from takes HOST:PORT and a directory", hint: "followspot replicate from 10.0.0.1:7730 movies.replica"
      )
    }
    guard let source = NetworkAddress(call.positionals[1]) else {
      throw CommandError(
        "replicate from takes HOST:PORT, not '\(call.positionals[1])'",
        hint: "followspot replicate from 10.0.0.1:7730 movies.replica")
    }
    if call.has("--interval"), !call.has("--follow") { throw CommandError("--interval needs --follow") }
    let directory = IndexDirectory(path: call.positionals[2])
    var options = ReplicaUpdate.Options(source: source, directory: directory)
    options.patience = .milliseconds(max(1_000, try call.milliseconds("--patience", default: 30_000)))
    options.report = { Console.say($0) }
    let update = try ReplicaUpdate(options)
    guard call.has("--follow") else {
      _ = StopSignal.catchFromNow()
      let outcome = try update.run()
      Console.say(outcome.sentence)
      return .success
    }
    let interval = max(100, try call.milliseconds("--interval", default: 1_000))
    try ReplicaFollower(update, interval: interval) { Console.say($0) }.run { outcome in
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

extension Invocation {
  /// The same call, whose store an argument may name.
  fileprivate func naming(store position: Int) -> Invocation {
    guard positionals.count > position else { return self }
    return Invocation(
      command: command, options: options.merging(["--store": [positionals[position]]]) { $1 }, positionals: positionals)
  }
}
