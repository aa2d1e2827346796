internal import Followspot

extension CommandDescription {
  static let `import` = CommandDescription(
    name: "import", arguments: "FILE|-", summary: "make or extend a store from JSON Lines, CSV or TSV",
    details: """
      A store that is not there is made; its attributes are learnt from the whole file. A store that is there is given
      the entity and the attributes that are new. Nested values stay JSON inside the record; relationships take
      identifiers such as Studio/p3. Records go in as transactions of --batch records. The last line on standard output
      says what was done.
      """,
    examples: [
      "followspot --store movies.store import movies.jsonl --kind Movie --key href",
      "followspot --store movies.store import new.csv --kind Movie --key href --author nightly",
    ],
    options: [
      OptionDescription("--kind", "ENTITY", "the entity of the records"),
      OptionDescription("--author", "NAME", "who saves, for the history"),
      OptionDescription("--input-format", "FORMAT", InputFormat.self, "else by the file's suffix: "),
      OptionDescription("--batch", "N", "records a transaction, 1000"),
      OptionDescription("--key", "FIELD", "the field that tells records apart: a known one updates"),
      OptionDescription("--skip-bad", nil, "leave bad lines out and say why"),
    ]
  ) { call in
    guard call.positionals.count == 1, let file = call.positionals.first else {
      throw FollowspotError(.usage, "import takes one file", hint: "followspot help import")
    }
    var options = Importer.Options(storePath: try call.storePath(), file: file)
    options.kind = call.value("--kind")
    options.author = call.value("--author")
    options.format = try call.choice("--input-format", InputFormat.self)
    options.batch = try call.integer("--batch", atLeast: 1) ?? 1_000
    options.key = call.value("--key")
    options.skipsBad = call.has("--skip-bad")
    let importer = try Importer(
      options, report: { Console.say("\($0)") },
      progress: { part, records in
        Console.progress(part < 1 ? "importing: \(Int(part * 100)) %, \(records) records" : nil)
      })
    Console.write(saved: try importer.run())
    return .success
  }
}
