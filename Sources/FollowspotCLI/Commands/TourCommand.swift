internal import Followspot
internal import FoundationEssentials

extension CommandDescription {
  static let tour = CommandDescription(
    name: "tour", arguments: "", summary: "make a small catalogue, index it, change it, search it, rebuild it",
    details: """
      Works beside --store, else in Index/built of the checkout that holds the working directory, else in the directory
      followspot-tour. Where that cannot be written, it works among the temporary files. A second run replaces only its
      own files.
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
