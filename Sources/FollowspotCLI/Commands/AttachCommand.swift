// SPDX-License-Identifier: MIT

internal import Store

struct AttachCommand: Verb {
  static let description = CommandDescription(
    name: "attach", arguments: "[DB]", summary: "add a history to an SQLite database by triggers",
    details: """
      DB defaults to --store. Triggers write each change of each table to a change log in the database, whichever program
      makes it. After that, the index follows the log, as it follows the history of a store. The rows and the other tables
      stay as they are. `detach` removes all triggers and tables of `attach`. Detach before you drop a preserved column or one
      of a unique index: SQLite refuses that while a trigger names the column. Attaching again renews triggers that are
      missing or out of date, such as after a table was rebuilt. It also restores tables of `attach` that another program
      renamed or dropped.

      A row is identified by its rowid or by its primary key. VACUUM may renumber the rowids of a table without an
      INTEGER PRIMARY KEY; its rows are then compared. To avoid that, name a column with a unique index by --key. A
      column in which rows have no value is refused. Rows that lose their value later are left out of the index, and
      `status` counts them. To name an author, a program runs `UPDATE followspot_writer SET author = 'name'` in its
      transaction. The program must set the author to NULL before the end of the transaction.
      """,
    examples: [
      "followspot attach library.sqlite --dry-run",
      "followspot attach library.sqlite --table books --preserve isbn,title; followspot --store library.sqlite index",
    ])

  @Option("--table", "TABLE", "only this table; may be repeated (default: all)") var tables: [String]
  @Option(
    "--key", "COLUMN",
    "identify rows by this column, which has a unique index; may be repeated (default: the rowid or primary key)")
  var keys: [String]
  @Option(
    "--preserve", "COLUMN,…",
    "keep the values of deleted rows in the log, which deleted: searches: title, or book.title (default: none)")
  var preserved: [String]
  @Option("--dry-run", "print the SQL statements and change nothing") var isDryRun: Bool

  func run(_ call: Call) throws -> ExitCode {
    let plan = try Attachment.attach(
      call.databasePath(), tables: tables, keys: keys, preserving: preserved, isDryRun: isDryRun)
    for (name, reason) in plan.omitted { Console.say("\(name) is left out: \(reason)") }
    if isDryRun {
      Console.write(plan.statements.map { $0 + ";\n" }.joined())
    } else {
      let outcome =
        plan.statements.isEmpty ? "already attached:" : plan.isRenewal ? "renewed the triggers of" : "attached"
      Console.write(line: "\(outcome) \(plan.tables.joined(separator: ", "))".printable)
    }
    return .success
  }
}

struct DetachCommand: Verb {
  static let description = CommandDescription(
    name: "detach", arguments: "[DB]", summary: "remove the history that attach added to a database",
    details: """
      DB defaults to --store. All triggers and tables of `attach`, including the history, are removed in one transaction,
      also those that another program left or renamed.
      The index stays. Later passes compare the rows to keep it up to date.
      """,
    examples: ["followspot detach library.sqlite --dry-run", "followspot detach library.sqlite"])

  @Option("--dry-run", "print the SQL statements and change nothing") var isDryRun: Bool

  func run(_ call: Call) throws -> ExitCode {
    let path = try call.databasePath()
    let statements = try Attachment.detach(path, isDryRun: isDryRun)
    Console.write(isDryRun ? statements.map { $0 + ";\n" }.joined() : "detached \(path)\n")
    return .success
  }
}
