// SPDX-License-Identifier: MIT

internal import Importing
internal import Indexing
internal import PersistentStore
internal import ShellInterface

extension CommandDescription {
  static let `import` = CommandDescription(
    name: "import", arguments: "FILE|-", summary: "create or extend a store from JSON, CSV or TSV",
    details: """
      FILE may be compressed with gzip. A store that does not exist is created. The types of its attributes are inferred
      from the whole file. A column is a number or a date if 99 of 100 of its values are numbers or dates, and text
      otherwise. An existing store gets the new entity and the new attributes. If the file needs it, an integer attribute
      becomes a number, and a required attribute becomes optional. The import reports all of this.

      Cells may write numbers as 1.234,50 or 1,234.50, and dates as 31.12.2000 or 12/31/2000. Each column is read in the
      format that fits its values. If two formats fit, the import says which one it took, and how to take the other one.

      Nested values are stored as JSON inside the record. Relationships take identifiers such as Studio/p3. Records are
      saved in transactions of --batch records. The last line on standard output says what was done.
      """,
    examples: [
      "followspot --store movies.store import movies.jsonl --kind Movie --key href",
      "followspot --store movies.store import new.csv --kind Movie --key href --author nightly",
      "followspot --store bank.store import new.csv --kind Entry --encoding latin-1 --dry-run",
    ],
    options: [
      OptionDescription("--kind", "ENTITY", "the entity of the records"),
      OptionDescription("--key", "FIELD", "unique key; a record whose key exists is updated"),
      OptionDescription("--type", "FIELD=TYPE", "type of an attribute, such as zip=string; may be repeated"),
      OptionDescription("--input-format", "FORMAT", InputFormat.self, "format (default: by the file's suffix): "),
      OptionDescription(
        "--encoding", "NAME", TextEncoding.self, "encoding (default: by the byte order mark, or utf-8): "),
      OptionDescription(
        "--delimiter", "CHAR", "character between the cells of CSV or TSV (default: detected among , ; | and tab)"),
      OptionDescription(
        "--decimal", "MARK", DecimalMark.self,
        "mark before the decimals in CSV or TSV (default: decided for each column): "),
      OptionDescription(
        "--date-format", "ORDER", DateOrder.self,
        "order of day, month and year in CSV or TSV (default: decided for each column): "),
      OptionDescription("--at", "PATH", "path to an array inside a JSON document, such as data.items"),
      OptionDescription("--dry-run", nil, "report what would be done, and do nothing"),
      OptionDescription("--lenient", nil, "leave values empty that are not of their attribute's type, and report them"),
      OptionDescription("--skip-bad", nil, "skip invalid lines and report them"),
      OptionDescription("--again", nil, "import a file whose records are in the store already"),
      OptionDescription("--from-line", "N", "begin with the record in line N (default: 1)"),
      OptionDescription("--batch", "N", "records per transaction (default: 1000)"),
      OptionDescription("--author", "NAME", "author of the transactions in the history"),
    ]
  ) { call in
    guard call.positionals.count == 1, let file = call.positionals.first else {
      throw CommandError("import takes one file", hint: "followspot help import")
    }
    let options = try importOptions(call, file)
    let importer = try Importer(
      options, tell: tell,
      progress: { part, records in
        Console.progress(part < 1 ? "importing: \(Int(part * 100)) %, \(records) records" : nil)
      })
    _ = StopSignal.catchFromNow()
    try Console.write(saved: importer.run())
    return .success
  }

  private static func importOptions(_ call: Invocation, _ file: String) throws -> Importer.Options {
    var options = Importer.Options(storePath: try call.storePath(), file: file)
    options.kind = call.value("--kind")
    options.author = call.value("--author")
    options.input.format = try call.choice("--input-format", InputFormat.self)
    options.input.encoding =
      try call.value("--encoding").flatMap(TextEncoding.init(name:)) ?? call.choice("--encoding", TextEncoding.self)
    options.input.delimiter = try call.value("--delimiter").map { text in
      guard let delimiter = Delimiter(text) else {
        throw CommandError("--delimiter takes one character or tab, not '\(text)'", hint: "--delimiter ';'")
      }
      return delimiter
    }
    options.input.path = call.value("--at")
    options.decimalMark = try call.choice("--decimal", DecimalMark.self)
    options.dateOrder = try call.choice("--date-format", DateOrder.self)
    options.batch = try call.integer("--batch", atLeast: 1) ?? 1_000
    options.firstLine = try call.integer("--from-line", atLeast: 1) ?? 1
    options.key = call.value("--key")
    options.types = try types(call.options["--type"] ?? [])
    options.skipsBad = call.has("--skip-bad")
    options.isLenient = call.has("--lenient")
    options.isAgain = call.has("--again")
    options.isDryRun = call.has("--dry-run")
    return options
  }

  /// Parses `FIELD=TYPE`.
  private static func types(_ texts: [String]) throws -> [String: AttributeType] {
    let others: [String: AttributeType] = ["text": .string, "integer": .integer64, "number": .double, "bool": .boolean]
    return try texts.reduce(into: [:]) { types, text in
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex,
        case let name = String(text[text.index(after: equals)...]),
        let type = AttributeType(rawValue: name) ?? others[name.lowercased()]
      else {
        throw CommandError(
          "--type takes FIELD=TYPE, not '\(text)'",
          hint: "the types are " + AttributeType.allCases.map(\.rawValue).joined(separator: ", "))
      }
      types[String(text[..<equals])] = type
    }
  }

  private static func tell(_ message: Importer.Message) {
    switch message {
    case .line(let bad): Console.say("\(bad)")
    case .sentence(let sentence): Console.say(sentence)
    case .format(let format): Console.say(format.sentence)
    case .newEntity(let name, let isDryRun):
      Console.say("\(name) \(isDryRun ? "would get" : "gets") these attributes; --type FIELD=TYPE changes a type:")
    case .attributes(let attributes):
      let rows = attributes.map { ($0.name.printable, $0.words) }
      Console.note(String(table(rows).dropLast()))
    }
  }
}

extension ColumnFormat {
  /// `Umsatz: '1.234,50' is read as 1234.50, with a decimal comma`
  fileprivate var sentence: String {
    let option: String
    let words: String
    switch format {
    case .number(let mark): (option, words) = ("--decimal", "with a decimal \(mark.rawValue)")
    case .date(.dmy): (option, words) = ("--date-format", "day first")
    case .date(.mdy): (option, words) = ("--date-format", "month first")
    case .date(.ymd): (option, words) = ("--date-format", "year first")
    }
    let taken = "\(column): '\(example.cell)' is read as \(example.standard), \(words)"
    return taken + (alternative.map { "; \(option) \($0.format.name) reads \($0.standard)" } ?? "")
  }
}
