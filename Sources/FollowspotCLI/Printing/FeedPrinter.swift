// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Store

/// Prints events of the change feed.
struct FeedPrinter {
  enum Format: String, CaseIterable { case ndjson, bulk }

  let format: Format
  /// Whether lines contain the identifiers of related records.
  let hasRelated: Bool

  init(format: Format, hasRelated: Bool) { (self.format, self.hasRelated) = (format, hasRelated) }

  func print(_ item: MergedFeed.Item) throws {
    let (event, store) = (item.event, item.store)
    let related: JSONObject =
      hasRelated && event.values != nil
      ? ["related": try JSONObject(relatedTo: event.identifier.key, of: event.entity, in: store)] : [:]
    let fields = event.values.map { JSONObject($0, of: event.entity) }
    switch format {
    case .ndjson:
      let tombstone = event.change == .delete ? JSONObject(tombstone: event.tombstone, of: event.entity) : nil
      let head: JSONObject = [
        "store": IfPresent(item.name), "operation": event.change?.name ?? "snapshot", "id": event.identifier.uri,
        "entity": event.identifier.entityName,
        "token": event.transaction, "position": event.position == nil ? nil : item.position?.description,
        "author": event.author,
        "timestamp": event.secondsSince1970.map { DateText.formatTime(secondsSince1970: $0) },
        "updated": event.updated, "fields": fields,
      ]
      try (head + related + ["tombstone": IfPresent(tombstone)]).print()
    case .bulk:
      // The version lets the receiver drop what arrives too late.
      let target: JSONObject = [
        "_index": event.identifier.entityName.lowercased(),
        "_id": NamedRecord.text(of: event.identifier, in: item.name),
        "version": event.transaction, "version_type": "external_gte",
      ]
      try JSONObject(members: [(fields == nil ? "delete" : "index", target)]).print()
      if let fields { try (fields + related).print() }
    }
  }
}
