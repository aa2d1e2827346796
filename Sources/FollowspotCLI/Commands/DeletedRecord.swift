// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SQLite
internal import SearchIndex
internal import Store

/// What the history still contains of a deleted record: who deleted it, when, in which transaction, and its preserved
/// values.
struct DeletedRecord {
  let identifier: RecordURI
  let entity: EntityLayout
  let deletion: StoredDeletion
  /// By attribute index.
  let values: [Value]

  /// nil if the record exists, or if the history does not contain its deletion.
  init?(_ identifier: RecordURI, in store: PersistentStore) throws {
    guard let named = store.layout.entity(matching: identifier.entityName) else { return nil }
    for entity in store.layout.entities where named.includes(entity) {
      let row = RowIdentifier(entity: entity.number, key: identifier.key)
      guard let deletion = try store.deletion(of: row),
        let values = try RowSource(store, deletions: [row: deletion]).values(of: entity, key: row.key)
      else { continue }
      self.identifier = try store.identifier(of: deletion)
      (self.entity, self.deletion, self.values) = (entity, deletion, values)
      return
    }
    return nil
  }

  func print() {
    Console.write(line: "\(identifier.uri)")
    let author = deletion.author.map { " by \($0)" } ?? ""
    let time = DateText.formatTime(secondsSince1970: deletion.secondsSince1970)
    Console.write(line: "deleted: \(time)\(author.printable) in transaction \(deletion.transaction)")
    for index in entity.preserved {
      let attribute = entity.entity.attributes[index]
      let text = ValueText.plain(values[index], as: attribute.type).printable
      Console.write(line: "\(attribute.name.printable): \(text)")
    }
  }

  var document: JSONObject {
    [
      "id": identifier.uri, "entity": identifier.entityName,
      "fields": JSONFragment.row(values, of: entity, only: entity.preserved), "deleted": JSONObject(deletion),
    ]
  }
}
