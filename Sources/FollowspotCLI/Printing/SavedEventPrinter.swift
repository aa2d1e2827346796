// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// Writes events of saved searches as lines.
struct SavedEventPrinter {
  let format: ResultFormat
  /// Whether lines of text name the search.
  let hasNames: Bool

  init(format: ResultFormat, hasNames: Bool = false) { (self.format, self.hasNames) = (format, hasNames) }

  /// - Parameter store: The name of the store in its group; nil if there is no group.
  func line(_ event: SavedEvent, of name: String, in store: String? = nil) throws -> [UInt8] {
    guard format == .ndjson else { return Array(text(event, of: name, in: store).utf8) }
    let document: JSONObject = [
      "store": IfPresent(store), "event": event.kind.rawValue, "identifier": event.identifier, "number": event.number,
      "search": name,
      "token": event.token, "author": event.author, "id": event.record.uri, "entity": event.record.entityName,
      "title": event.title, "fields": event.fields.map { fields in JSONFragment { $0.raw(fields) } },
    ]
    return try document.bytes + [0x0a]
  }

  private func text(_ event: SavedEvent, of name: String, in store: String?) -> String {
    let cells = (hasNames ? [name] : []) + (store.map { [$0] } ?? []) + [event.identifier, event.title]
    return "\(ChangeMark(event.kind).styled) "
      + cells.map(\.printable).joined(separator: Console.separator) + "\n"
  }
}
