// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

struct SQLCommand: Verb {
  static let description = CommandDescription(
    name: "sql", arguments: "[STATEMENT]", summary: "query the store with SQL, and join rows with search results",
    details: """
      Each entity is a table with its attributes as columns, and with key and entity; rows of subentities are included.
      Dates are ISO 8601 texts, JSON attributes are JSON texts, and a to-one relationship is the key of its target.
      A to-many relationship is a table with the columns key and target, such as Movie_cast.
      search('words') and search('words', 'Movie') return the hits of a search, best first, with the columns key,
      entity, id, score, rank, title and snippet. Join them by key: the statement then reads only the rows of the hits.
      The statement reads one snapshot, including changes that are not indexed yet, and cannot change anything.
      In a group, each table has the rows of all stores, with the name of the store in the column store, and keys begin
      with it: h1:Movie/p12.
      Without a statement, standard input is read; on a terminal, a prompt accepts statements that end with a semicolon,
      .tables, .schema [TABLE] and .quit.
      """,
    examples: [
      "followspot --store movies.store sql \"SELECT m.title, h.score FROM Movie m JOIN search('toy friendship') h ON "
        + "h.key = m.key WHERE m.rating > 8\"",
      "followspot --store movies.store sql \"SELECT year, count(*) FROM Movie GROUP BY year\" --format csv",
      "followspot --store movies.store sql --schema",
    ])

  @Option("-n", "N", "maximum number of rows (default: all; 0 = all)") var limit: Int?
  @Option(time: "--timeout", "TIME", "stop the statement after this time (default: 10s; 0 = no limit)")
  var timeout: Int?
  @Option("--schema", "print the tables and their columns") var printsTables: Bool
  @Option("--format", "FORMAT") var format: StatementFormat?

  func run(_ call: Call) throws -> ExitCode {
    guard call.positionals.count <= 1 else {
      throw CommandError("sql takes one statement", hint: "put quotation marks around the statement")
    }
    let group = try call.groupedStores()
    if group != nil { Descriptors.raiseLimit() }
    let statement = StoreStatement(
      try group?.map { ($0.name, $0.path, $0.directory) } ?? [(nil, call.storePath(), call.indexDirectory())])
    if printsTables {
      let tables = try statement.tables()
      statement.missing.say()
      for table in tables { Console.write(line: TableText.line(table)) }
      return statement.missing.isEmpty ? .success : .incomplete
    }
    let wake = StopSignal.catchFromNow()
    let printer = StatementPrinter(
      statement, format: format ?? .text, limit: limit == 0 ? nil : limit,
      milliseconds: timeout == 0 ? nil : timeout ?? 10_000)
    if let text = call.positionals.first, text != "-" {
      if !call.globals.hasNoPager { Pager.use() }
      return try printer.run(text)
    }
    guard call.positionals.isEmpty, Console.isInputTerminal, Console.isOutputTerminal else {
      return try printer.run(try StatementInput(wake: wake).all())
    }
    return try StatementPrompt(statement, printer, StatementInput(wake: wake)).run()
  }
}

/// A table and its columns on one line.
enum TableText {
  static func line(_ table: StoreTables.Description) -> String {
    let columns = table.columns.map { "\(SQLText.name($0.name)) \($0.type)" }.joined(separator: ", ")
    return (table.isFunction ? "\(table.name)(words, kind): \(columns)" : "\(SQLText.name(table.name)): \(columns)")
      .printable
  }
}
