// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import ShellInterface
internal import Watching

/// Prints the changes of `diff`.
struct DifferencePrinter {
  let format: ChangeFormat
  private(set) var count = 0

  init(format: ChangeFormat) { self.format = format }

  /// - Parameter range: The transactions that are compared; nil if they are not known.
  func begin(query: String, from: Int64?, to: Int64?) {
    guard format == .json else { return }
    var json = JSONWriter()
    json.open(.object)
    json.pair("format", FormatVersion.current)
    json.pair("query", query)
    json.pair("from", from)
    json.pair("to", to)
    Console.write(json.text + ",\"changes\":[")
  }

  func end() {
    if format == .json { Console.write("]}\n") }
  }

  mutating func print(_ net: NetChange) throws {
    let change = net.change
    switch format {
    case .text:
      text(
        Self.marker(of: change.kind), change.identifier, change.title, net.transaction, net.author,
        change.updated.isEmpty ? nil : change.updated.joined(separator: ", "))
    case .tsv:
      table(
        change.kind.name, change.identifier, change.title, net.transaction, net.author,
        change.updated.joined(separator: "; "))
    case .json, .ndjson: try write(NetChangeDocument(net))
    }
    count += 1
  }

  /// - Parameter marksDuring: Whether changes are marked that are not by the author of the command.
  mutating func print(_ change: ResultDifference.Change, marksDuring: Bool) throws {
    switch format {
    case .text:
      text(
        Self.marker(of: change.kind), change.identifier, change.title, change.transaction, change.author,
        marksDuring && change.isDuring ? "during" : nil)
      if change.kind == .change { fields(change) }
    case .tsv:
      let names = change.kind == .change ? (change.new ?? []).map(\.name) : []
      table(
        change.kind.rawValue, change.identifier, change.title, change.transaction, change.author,
        names.joined(separator: "; "))
    case .json, .ndjson: try write(ResultChangeDocument(change))
    }
    count += 1
  }

  private func write(_ document: some Encodable) throws {
    if format == .ndjson { return try Console.write(json: document) }
    if count > 0 { Console.write(",") }
    Console.write(bytes: try OrderedEncoder.encode(document))
  }

  // MARK: Text

  private static func marker(of kind: ChangeKind) -> String {
    switch kind {
    case .insert: Style.added("+")
    case .update: Style.bold("~")
    case .delete: Style.removed("-")
    }
  }

  private static func marker(of kind: ResultDifference.Change.Kind) -> String {
    switch kind {
    case .enter: Style.added("+")
    case .change: Style.bold("~")
    case .leave: Style.removed("-")
    }
  }

  /// Marker, identifier, title, transaction, author and a remark; with TABs to a pipe.
  private func text(
    _ marker: String, _ identifier: RecordURI, _ title: String, _ transaction: Int64?, _ author: String?,
    _ remark: String?
  ) {
    var cells = [identifier.short, title, transaction.map { String($0) } ?? "", author ?? ""]
    if Console.isOutputTerminal {
      cells = [
        identifier.short, title, transaction.map { "transaction \($0)" + (author.map { " by \($0)" } ?? "") } ?? "",
        remark.map { "(\($0))" } ?? "",
      ].filter { !$0.isEmpty }
    } else if let remark {
      cells.append(remark)
    }
    let separator = Console.isOutputTerminal ? "  " : "\t"
    Console.write("\(marker) " + cells.map(\.printable).joined(separator: separator) + "\n")
  }

  /// Columns of a value on a terminal.
  private static let mostColumns = 40

  /// One line for each value: `year: 2009 -> 2010`.
  private func fields(_ change: ResultDifference.Change) {
    for (old, new) in zip(change.old ?? [], change.new ?? []) {
      Console.write("    \(new.name.printable): \(Self.shown(old)) -> \(Self.shown(new))\n")
    }
  }

  private static func shown(_ field: ResultDifference.Change.Field) -> String {
    guard !field.isNull else { return "null" }
    let text = ValueText.plain(field.value, as: field.type).printable
    return Console.isOutputTerminal && text.count > mostColumns ? text.prefix(mostColumns - 1) + "…" : text
  }

  private func table(
    _ change: String, _ identifier: RecordURI, _ title: String, _ transaction: Int64?, _ author: String?,
    _ names: String
  ) {
    let cells = [change, identifier.uri, title, transaction.map { String($0) } ?? "", author ?? "", names]
    Console.write(cells.map(\.printable).joined(separator: "\t") + "\n")
  }
}
