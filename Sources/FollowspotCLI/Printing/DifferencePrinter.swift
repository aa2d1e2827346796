// SPDX-License-Identifier: MIT

internal import Documents
internal import Followspot
internal import ShellInterface
internal import Store

/// Prints the changes of `diff`.
struct DifferencePrinter {
  let format: ListFormat
  private(set) var count = 0
  private var list: JSONList

  init(format: ListFormat) { (self.format, list) = (format, JSONList(isDocument: format == .json)) }

  /// - Parameter range: The transactions that are compared; nil if they are not known.
  func begin(query: String, from: Int64?, to: Int64?) throws {
    try list.begin(["query": query, "from": from, "to": to], "changes")
  }

  func end() { list.end() }

  mutating func print(_ net: NetChange) throws {
    let change = net.change
    switch format {
    case .text:
      text(
        ChangeMark(change.kind), change.identifier, change.title, net.transaction, net.author,
        change.updated.isEmpty ? nil : change.updated.joined(separator: ", "))
    case .tsv:
      table(
        change.kind.name, change.identifier, change.title, net.transaction, net.author,
        change.updated.joined(separator: "; "))
    case .json, .ndjson: try list.print(JSONObject(net))
    }
    count += 1
  }

  /// - Parameter marksDuring: Whether changes are marked that are not by the author of the command.
  mutating func print(_ change: ResultDifference.Change, marksDuring: Bool) throws {
    switch format {
    case .text:
      text(
        ChangeMark(change.kind), change.identifier, change.title, change.transaction, change.author,
        marksDuring && change.isDuring ? "during" : nil)
      if change.kind == .change { fields(change) }
    case .tsv:
      let names = change.kind == .change ? (change.new ?? []).map(\.name) : []
      table(
        change.kind.rawValue, change.identifier, change.title, change.transaction, change.author,
        names.joined(separator: "; "))
    case .json, .ndjson: try list.print(JSONObject(change))
    }
    count += 1
  }

  // MARK: Text

  /// Marker, identifier, title, transaction, author and a remark; with TABs to a pipe.
  private func text(
    _ mark: ChangeMark, _ identifier: RecordURI, _ title: String, _ transaction: Int64?, _ author: String?,
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
    Console.write("\(mark.styled) ")
    Console.write(cells: cells, separator: Console.separator)
  }

  /// Columns of a value on a terminal.
  private static let mostColumns = 40

  /// One line for each value: `year: 2009 -> 2010`.
  private func fields(_ change: ResultDifference.Change) {
    for (old, new) in zip(change.old ?? [], change.new ?? []) {
      Console.write(line: "    \(new.name.printable): \(Self.shown(old)) -> \(Self.shown(new))")
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
    Console.write(cells: [
      change, identifier.uri, title, transaction.map { String($0) } ?? "", author ?? "", names,
    ])
  }
}
