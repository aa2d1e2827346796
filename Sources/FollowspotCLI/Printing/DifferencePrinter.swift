// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// Prints the changes of `diff`.
struct DifferencePrinter {
  let format: ListFormat
  private(set) var count = 0
  private var list: JSONList

  init(format: ListFormat) { (self.format, list) = (format, JSONList(isDocument: format == .json)) }

  /// - Parameter ranges: The transactions that are compared.
  func begin(query: String, _ ranges: [HitDifference.Range]) throws {
    let objects = ranges.map { range in
      (range.store.map { ["name": $0] } ?? [:]) + (["from": range.from, "to": range.to] as JSONObject)
    }
    let isGroup = ranges.contains { $0.store != nil }
    try list.begin(["query": query] + (isGroup ? ["stores": objects] : objects.first ?? [:]), "changes")
  }

  func end() { list.end() }

  mutating func print(_ net: NetChange) throws {
    let change = net.change
    switch format {
    case .text:
      text(
        ChangeMark(change.kind), change.identifier, change.title, net.transaction, net.author,
        change.updated.isEmpty ? nil : change.updated.joined(separator: ", "), in: net.store)
    case .tsv:
      table(
        change.kind.name, change.identifier, change.title, net.transaction, net.author,
        change.updated.joined(separator: "; "), in: net.store)
    case .json, .ndjson: try list.print(JSONObject(net))
    }
    count += 1
  }

  // MARK: Text

  /// Marker, identifier, title, transaction, author and a remark; with TABs to a pipe.
  private func text(
    _ mark: ChangeMark, _ identifier: RecordURI, _ title: String, _ transaction: Int64?, _ author: String?,
    _ remark: String?, in store: String? = nil
  ) {
    let name = NamedRecord.text(of: identifier, in: store)
    var cells = [name, title, transaction.map { String($0) } ?? "", author ?? ""]
    if Console.isOutputTerminal {
      cells = [
        name, title, transaction.map { "transaction \($0)" + (author.map { " by \($0)" } ?? "") } ?? "",
        remark.map { "(\($0))" } ?? "",
      ].filter { !$0.isEmpty }
    } else if let remark {
      cells.append(remark)
    }
    Console.write("\(mark.styled) ")
    Console.write(cells: cells, separator: Console.separator)
  }

  private func table(
    _ change: String, _ identifier: RecordURI, _ title: String, _ transaction: Int64?, _ author: String?,
    _ names: String, in store: String? = nil
  ) {
    Console.write(
      cells: (store.map { [$0] } ?? []) + [
        change, identifier.uri, title, transaction.map { String($0) } ?? "", author ?? "", names,
      ])
  }
}
