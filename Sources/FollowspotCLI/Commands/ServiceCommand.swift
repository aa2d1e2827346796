// SPDX-License-Identifier: MIT

internal import Following
internal import ForeignStores
internal import FoundationEssentials
internal import PersistentStore
internal import ShellInterface

extension CommandDescription {
  static let service = CommandDescription(
    name: "service", arguments: "print", summary: "print a systemd unit that keeps the index up to date",
    details: """
      The unit runs `index --follow` as the owner of the store, with the paths of this program, the store and the index.
      The follower notifies systemd when its first pass is done, and reports its status. The watchdog of systemd restarts a
      follower that makes no progress. The first lines of the unit say how to install it.
      """,
    examples: [
      "followspot --store movies.store service print > /etc/systemd/system/followspot.service",
      "followspot --store movies.store service print --user > ~/.config/systemd/user/followspot.service",
    ],
    options: [OptionDescription("--user", nil, "print a unit for systemctl --user")],
    words: [("print", [])]
  ) { call in
    guard call.positionals == ["print"] else {
      throw CommandError(
        call.positionals.first.map { "service has no subcommand '\($0)'" } ?? "service takes print",
        hint: "followspot help service")
    }
    let store = try StoreFile.open(try call.storePath())
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let unit = try ServiceUnit(
      program: program, storePath: store.path, directory: try call.indexDirectory(), isOfUser: call.has("--user"))
    Console.write(unit.text)
    return .success
  }
}
