internal import Followspot

extension CommandDescription {
  static let tour = CommandDescription(
    name: "tour", arguments: "", summary: "make a small catalogue, index it, change it, search it, rebuild it",
    details: """
      Works in Index/built of the checkout that holds the working directory, elsewhere in the directory followspot-tour,
      or beside --store. A second run replaces only its own files.
      """,
    examples: ["followspot tour", "followspot --store films.store tour"], options: []
  ) { call in
    try call.noPositionals()
    let beside = call.value("--store").map { path in
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    let directory = beside ?? Tour.directoryInCheckout() ?? "followspot-tour"
    try Tour(directory: directory, program: CommandLine.arguments.first ?? "followspot") {
      Console.write($0 + "\n")
      Console.flush()
    }.run()
    return .success
  }
}
