// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import ShellInterface
internal import Watching

/// Writes events of saved searches as lines.
struct SavedEventPrinter {
  let format: ResultFormat
  /// Whether lines of text name the search.
  var hasNames = false

  func line(_ event: SavedEvent, of name: String) -> [UInt8] {
    guard format == .ndjson else { return Array(text(event, of: name).utf8) }
    var json = JSONWriter()
    json.object { json in
      json.pair("event", event.kind.rawValue)
      json.pair("identifier", event.identifier)
      json.pair("number", event.number)
      json.pair("search", name)
      json.pair("token", event.token)
      json.pair("author", event.author)
      json.pair("id", event.record.uri)
      json.pair("entity", event.record.entityName)
      json.pair("title", event.title)
      json.key("fields")
      if let fields = event.fields { json.raw(fields) } else { json.null() }
    }
    return json.bytes + [0x0a]
  }

  private func text(_ event: SavedEvent, of name: String) -> String {
    let marker =
      switch event.kind {
      case .enter: Style.added("+")
      case .change: Style.bold("~")
      case .leave: Style.removed("-")
      }
    let cells = (hasNames ? [name] : []) + [event.identifier, event.title]
    return "\(marker) " + cells.map(\.printable).joined(separator: Console.isOutputTerminal ? "  " : "\t") + "\n"
  }
}
