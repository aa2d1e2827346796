// SPDX-License-Identifier: MIT

internal import FoundationEssentials

struct TourCommand: Verb {
  static let description = CommandDescription(
    name: "tour", summary: "create, index, change, search and rebuild a small catalogue",
    details: """
      The tour writes beside --store. Without --store it writes to Index/built of the checkout that contains the working
      directory, or to the directory followspot-tour, or to a temporary directory. A second run replaces only its own
      files.
      """,
    examples: ["followspot tour", "followspot --store films.store tour"])

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    let beside = call.globals.stores.last.map(FilePath.parent)
    let directory = try beside ?? Tour.chosenDirectory(temporary: ProcessInfo.processInfo.environment["TMPDIR"])
    try Tour(directory: directory, program: CommandLine.arguments.first ?? "followspot") {
      Console.write(line: $0)
      Console.flush()
    }.run()
    return .success
  }
}
