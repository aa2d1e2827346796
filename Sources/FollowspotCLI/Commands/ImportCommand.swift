// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Store

struct ImportCommand: Verb {
  static let description = CommandDescription(
    name: "import", arguments: "FILE|-", summary: "create or extend a store from JSON, CSV or TSV",
    details: """
      FILE may be compressed with gzip. A store that does not exist is created. The types of its attributes are inferred
      from the whole file. A column is a number or a date if 99 of 100 of its values are numbers or dates, and text
      otherwise. An existing store gets the new entity and the new attributes. If the file needs it, an integer attribute
      becomes a number, and a required attribute becomes optional. The import reports all of this.

      Cells may write numbers as 1.234,50 or 1,234.50, and dates as 31.12.2000 or 12/31/2000. Each column is read in the
      format that fits its values. If two formats fit, the import says which one it took, and how to take the other one.

      Nested values are stored as JSON inside the record. Relationships take identifiers such as Studio/p3. Records are
      saved in transactions of --batch records. The last line on standard output says what was done. A dry run imports into
      a temporary copy of the store, and prints the same.
      """,
    examples: [
      "followspot --store movies.store import movies.jsonl --kind Movie --key href",
      "followspot --store movies.store import new.csv --kind Movie --key href --author nightly",
      "followspot --store bank.store import new.csv --kind Entry --encoding latin-1 --dry-run",
    ])

  @Option("--kind", "ENTITY", "the entity of the records") var kind: String?
  @Option("--key", "FIELD", "unique key; a record whose key exists is updated") var key: String?
  @Option("--type", "FIELD=TYPE", "type of an attribute, such as zip=string; may be repeated") var types: [String]
  @Option("--input-format", "FORMAT", "format (default: by the file's suffix): ") var inputFormat: InputFormat?
  @Option(
    "--encoding", "NAME",
    "encoding (default: by the byte order mark, or utf-8): "
      + HumanText.alternatives(TextEncoding.allCases.map(\.rawValue)),
    choices: TextEncoding.allCases.map(\.rawValue),
    parse: { text in
      if let encoding = TextEncoding(name: text) ?? TextEncoding(rawValue: text) { return encoding }
      let known = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandError("--encoding takes \(known), not '\(text)'")
    }) private var encoding: TextEncoding?
  @Option(
    "--delimiter", "CHAR", "character between the cells of CSV or TSV (default: detected among , ; | and tab)",
    parse: { text in
      if let delimiter = Delimiter(text) { return delimiter }
      throw CommandError("--delimiter takes one character or tab, not '\(text)'", hint: "--delimiter ';'")
    }) private var delimiter: Delimiter?
  @Option("--decimal", "MARK", "mark before the decimals in CSV or TSV (default: decided for each column): ")
  var decimalMark: DecimalMark?
  @Option(
    "--date-format", "ORDER", "order of day, month and year in CSV or TSV (default: decided for each column): ")
  var dateOrder: DateOrder?
  @Option("--at", "PATH", "path to an array inside a JSON document, such as data.items") var path: String?
  @Option("--dry-run", "report what would be done, and change nothing") var isDryRun: Bool
  @Option("--lenient", "leave values empty that are not of their attribute's type, and report them") var isLenient: Bool
  @Option("--skip-bad", "skip invalid lines and report them") var skipsBad: Bool
  @Option("--again", "import a file whose records are in the store already") var isAgain: Bool
  @Option("--from-line", "N", "begin with the record in line N (default: 1)", atLeast: 1) var firstLine: Int?
  @Option("--batch", "N", "records per transaction (default: 1000)", atLeast: 1) var batch: Int?
  @Option("--author", "NAME", "author of the transactions in the history") var author: String?

  func run(_ call: Call) throws -> ExitCode {
    let file = try call.onlyArgument("file")
    let importer = try Importer(
      options(file, storePath: call.storePath()), tell: tell,
      progress: { part, records in
        Console.progress(part < 1 ? "importing: \(Int(part * 100)) %, \(records) records" : nil)
      })
    _ = StopSignal.catchFromNow()
    try SavedRecords.print(importer.run())
    return .success
  }

  private func options(_ file: String, storePath: String) throws -> Importer.Options {
    var options = Importer.Options(storePath: storePath, file: file)
    (options.kind, options.key, options.author, options.types) = (kind, key, author, try attributeTypes())
    (options.input.format, options.input.encoding) = (inputFormat, encoding)
    (options.input.delimiter, options.input.path) = (delimiter, path)
    (options.decimalMark, options.dateOrder) = (decimalMark, dateOrder)
    (options.batch, options.firstLine) = (batch ?? 1_000, firstLine ?? 1)
    (options.skipsBad, options.isLenient, options.isAgain) = (skipsBad, isLenient, isAgain)
    options.isDryRun = isDryRun
    return options
  }

  /// Parses `FIELD=TYPE`.
  private func attributeTypes() throws -> [String: AttributeType] {
    let others: [String: AttributeType] = ["text": .string, "integer": .integer64, "number": .double, "bool": .boolean]
    return try types.reduce(into: [:]) { found, text in
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex,
        case let name = String(text[text.index(after: equals)...]),
        let type = AttributeType(rawValue: name) ?? others[name.lowercased()]
      else {
        throw CommandError(
          "--type takes FIELD=TYPE, not '\(text)'",
          hint: "the types are " + AttributeType.allCases.map(\.rawValue).joined(separator: ", "))
      }
      found[String(text[..<equals])] = type
    }
  }

  private func tell(_ message: Importer.Message) {
    switch message {
    case .line(let bad): Console.say("\(bad)")
    case .sentence(let sentence): Console.say(sentence)
    case .format(let format): Console.say(format.sentence)
    case .newEntity(let name, let isDryRun):
      Console.say("\(name) \(isDryRun ? "would get" : "gets") these attributes; --type FIELD=TYPE changes a type:")
    case .attributes(let attributes):
      let rows = attributes.map { ($0.name.printable, $0.words) }
      Console.note(String(Help.table(rows).dropLast()))
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
