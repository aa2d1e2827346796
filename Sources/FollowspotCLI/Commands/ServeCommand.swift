// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Glibc

/// The option of verbs that serve an index.
struct ListeningOptions {
  @Option<NetworkAddress?> private var given: NetworkAddress?
  private let port: Int

  init(_ help: String, port: Int) {
    self.port = port
    _given = Option("--listen", "ADDRESS:PORT", help) { text in
      if let address = NetworkAddress(text) { return address }
      throw CommandError("--listen takes ADDRESS:PORT, not '\(text)'", hint: "--listen 127.0.0.1:7730")
    }
  }

  /// The address to listen on; defaults to the loopback interface.
  var address: NetworkAddress { given ?? NetworkAddress(host: "127.0.0.1", port: port) }
}

struct ServeCommand: Verb {
  static let description = CommandDescription(
    name: "serve", summary: "let other machines search the index",
    details: """
      serve offers the index to searches of groups on other machines, until SIGTERM or SIGINT. They can read the index, but not
      write it. It listens on the loopback interface, unless --listen names another address. The protocol has no passwords and
      no encryption: serve on a private network, or through a tunnel.
      A group names the address among its stores: stores = films, 10.0.0.1:\(IndexServer.port). Hits from there show the fields
      that the index stores, as of the transaction that it has reached: keep it up to date with index --follow.
      The program is that of Debian's package xapian-tools.
      """,
    examples: [
      "followspot --store movies.store serve",
      "followspot --store movies.store serve --listen 10.0.0.1:\(IndexServer.port)",
      "followspot --store 10.0.0.1:\(IndexServer.port) search toy friendship",
    ])

  private let listening = ListeningOptions(
    "address to listen on (default: 127.0.0.1:\(IndexServer.port))", port: IndexServer.port)

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    let server = IndexServer(directory: try call.indexDirectory(), address: listening.address) { Console.say($0) }
    try server.run { Console.say("serving \(server.description), pid \(getpid())") }
    return .success
  }
}
