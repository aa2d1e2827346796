// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import ShellInterface
internal import Values
internal import Watching

/// Prints events of the change feed.
struct FeedPrinter {
  enum Format: String, CaseIterable { case ndjson, bulk }

  let format: Format
  /// Whether lines contain the identifiers of related records.
  let hasRelated: Bool

  func print(_ event: FeedEvent, _ store: PersistentStore) throws {
    var json = JSONWriter()
    switch format {
    case .ndjson: try write(event, store, to: &json)
    case .bulk:
      action(event, to: &json)
      guard let values = event.values else { break }
      Console.write(bytes: json.bytes + [0x0a])
      json.removeAll()
      try json.object { json in
        RecordPrinter.writeFields(values, event.entity, to: &json)
        try writeRelated(event, store, to: &json)
      }
    }
    Console.write(bytes: json.bytes + [0x0a])
  }

  private func write(_ event: FeedEvent, _ store: PersistentStore, to json: inout JSONWriter) throws {
    try json.object { json in
      json.pair("operation", event.operation.rawValue)
      json.pair("id", event.identifier.uri)
      json.pair("entity", event.identifier.entityName)
      json.pair("token", event.transaction)
      json.pair("position", event.position?.description)
      json.pair("author", event.author)
      json.pair("timestamp", event.secondsSince1970.map { DateText.formatTime(secondsSince1970: $0) })
      json.key("updated")
      json.array { json in for name in event.updated { json.string(name) } }
      json.key("fields")
      if let values = event.values {
        json.object { RecordPrinter.writeFields(values, event.entity, to: &$0) }
      } else {
        json.null()
      }
      try writeRelated(event, store, to: &json)
      guard event.operation == .delete else { return }
      json.key("tombstone")
      json.object { json in
        for (attribute, value) in zip(event.entity.tombstoneOrder, event.tombstone) {
          json.key(event.entity.entity.attributes[attribute].name)
          json.value(value, as: event.entity.entity.attributes[attribute].type)
        }
      }
    }
  }

  private func writeRelated(_ event: FeedEvent, _ store: PersistentStore, to json: inout JSONWriter) throws {
    guard hasRelated, event.values != nil else { return }
    json.key("related")
    try json.object { json in
      for relationship in event.entity.relationships {
        let targets = try store.targets(of: relationship, from: event.identifier.key).map {
          try store.identifier(of: $0).uri
        }
        json.key(relationship.name)
        if relationship.description.isToMany {
          json.array { json in for target in targets { json.string(target) } }
        } else {
          json.string(targets.first)
        }
      }
    }
  }

  /// The line before a document in a bulk request. The version lets the receiver drop what arrives too late.
  private func action(_ event: FeedEvent, to json: inout JSONWriter) {
    json.object { json in
      json.key(event.values == nil ? "delete" : "index")
      json.object { json in
        json.pair("_index", event.identifier.entityName.lowercased())
        json.pair("_id", event.identifier.short)
        json.pair("version", event.transaction)
        json.pair("version_type", "external_gte")
      }
    }
  }
}
