// SPDX-License-Identifier: MIT

internal import Base
package import Store

extension ChangeFeed {
  /// Where reading the records of a store in parts continues.
  package struct RecordPlace: Sendable {
    /// The position after which the changes continue when all records were read.
    let position: FeedPosition
    /// The names of the entities to read, the present one first.
    fileprivate var entities: [String]
    /// The last key of the present entity that was read.
    fileprivate var key: Int64?

    var isAtEnd: Bool { entities.isEmpty }
  }

  /// Gives `body` the next records of the store, each as it is now.
  ///
  /// Each part is a snapshot of its own, so that a slow reader holds none. A record that changes between the parts can be
  /// given before its change or after it; `position` lies before all parts, so the changes after it contain it too.
  ///
  /// - Parameters:
  ///   - place: Where to continue; nil for the beginning.
  ///   - limit: The maximum number of records, at least 1.
  package func records(
    after place: RecordPlace?, limit: Int, _ body: (FeedEvent, PersistentStore) throws -> Void
  ) throws -> RecordPlace {
    try atOneMoment { store in
      let wanted = try entity()
      let token = try store.token()
      var place =
        place
        ?? RecordPlace(
          position: FeedPosition(transaction: token.number, stamp: token.stamp),
          entities: store.layout.entities.filter { wanted?.includes($0) ?? hasKind }.map(\.entity.name))
      var count = 0
      var last: FeedEvent?
      while let name = place.entities.first {
        if let entity = store.layout.entity(named: name), place.key != .max {
          let attributes = Array(entity.entity.attributes.indices)
          let rows = try store.rows(
            of: entity, attributes: attributes, keys: (place.key.map { $0 + 1 } ?? .min)...(.max))
          while let row = try rows.next() {
            try StopSignal.check()
            if count == limit, let last {
              try body(last, store)
              return place
            }
            let stored = entity.externalAttributes.isEmpty ? attributes.map(row.value) : nil
            let key = row.key
            guard let values = try stored ?? store.values(of: entity, key: key) else { continue }
            if let last { try body(last, store) }
            last = FeedEvent(
              change: nil, position: nil, transaction: token.number, entity: entity,
              identifier: try store.identifier(of: RowIdentifier(entity: entity.number, key: key)),
              author: nil, secondsSince1970: nil, updated: [], values: values, tombstone: [])
            count += 1
            place.key = key
          }
        }
        place.entities.removeFirst()
        place.key = nil
      }
      last?.position = place.position
      if let last { try body(last, store) }
      return place
    }
  }
}
