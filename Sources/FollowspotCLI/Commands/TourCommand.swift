internal import Followspot

extension CommandDescription {
  static let tour = CommandDescription(
    name: "tour", arguments: "", summary: "make a small catalogue, index it, change it, search it, rebuild it",
    details: "Works in Index/built of this checkout, or beside --store; a second run replaces only its own files.",
    examples: ["followspot tour", "followspot --store films.store tour"], options: []
  ) { call in
    try call.noPositionals()
    let beside = call.value("--store").map { path in
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    guard let directory = beside ?? Tour.directoryInCheckout() else {
      throw FollowspotError(
        .usage, "this is no checkout of followspot, and no --store says where the tour may work",
        hint: "followspot --store films.store tour")
    }
    try Tour(directory: directory, program: CommandLine.arguments.first ?? "followspot") {
      Console.write($0 + "\n")
      Console.flush()
    }.run()
    return .success
  }
}
