// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

struct ServiceCommand: Verb {
  static let description = CommandDescription(
    name: "service", arguments: "print", summary: "print a systemd unit that keeps the index up to date",
    details: """
      The unit runs `index --follow` as the owner of the store, with the paths of this program, the store and the index.
      The follower notifies systemd when its first pass is done, and reports its status. The watchdog of systemd restarts a
      follower that makes no progress. The first lines of the unit say how to install it.
      If a group or several stores are named, one process follows all of them.
      """,
    examples: [
      "followspot --store movies.store service print > /etc/systemd/system/followspot.service",
      "followspot --store movies.store service print --user > ~/.config/systemd/user/followspot.service",
    ],
    words: [("print", [])])

  @Option("--user", "print a unit for systemctl --user") var isOfUser: Bool

  func run(_ call: Call) throws -> ExitCode {
    guard call.positionals == ["print"] else {
      throw call.usageError(
        call.positionals.first.map { "service has no subcommand '\($0)'" } ?? "service takes print")
    }
    let stores = try (call.memberCalls() ?? [call]).map { call in
      (path: try StoreFile.open(call.storePath()).path, directory: try call.indexDirectory())
    }
    let unit = try ServiceUnit(program: FilePath.own ?? "followspot", stores: stores, isOfUser: isOfUser)
    Console.write(unit.text)
    return .success
  }
}
