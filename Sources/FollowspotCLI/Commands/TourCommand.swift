// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import ShellInterface

extension CommandDescription {
  static let tour = CommandDescription(
    name: "tour", arguments: "", summary: "create, index, change, search and rebuild a small catalogue",
    details: """
      The tour writes beside --store. Without --store it writes to Index/built of the checkout that contains the working
      directory, or to the directory followspot-tour, or to a temporary directory. A second run replaces only its own
      files.
      """,
    examples: ["followspot tour", "followspot --store films.store tour"], options: []
  ) { call in
    try call.noPositionals()
    let beside = call.value("--store").map { path in
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    let directory = try beside ?? Tour.chosenDirectory(temporary: ProcessInfo.processInfo.environment["TMPDIR"])
    try Tour(directory: directory, program: CommandLine.arguments.first ?? "followspot") {
      Console.write($0 + "\n")
      Console.flush()
    }.run()
    return .success
  }
}
