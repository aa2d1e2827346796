// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// The titles of changed records.
final class ChangeTitles {
  let store: PersistentStore
  private let directory: IndexDirectory
  /// The titles by the definition of the index, which is read if a title is needed.
  private lazy var titles = RecordTitles(store: store, directory: directory)
  /// The records that do not exist any more. They are read if a title is needed.
  private lazy var deletions = readDeletions()

  init(store: PersistentStore, directory: IndexDirectory) { (self.store, self.directory) = (store, directory) }

  /// The present title, or the one that the history preserves; empty if neither exists.
  func title(of change: StoredChange) throws -> String {
    guard let entity = store.layout.entity(number: change.row.entity) else { return "" }
    if change.kind == .delete { return titles.title(ofTombstone: change.tombstone, entity) }
    if let title = try titles.title(of: change.row, in: store) { return title }
    guard let deletion = deletions[change.row],
      let values = try RowSource(store, deletions: [change.row: deletion]).values(of: entity, key: change.row.key)
    else { return "" }
    return titles.title(of: values, entity, isDeleted: true)
  }

  private func readDeletions() -> [RowIdentifier: StoredDeletion] {
    var found: [RowIdentifier: StoredDeletion] = [:]
    // Without them, the list has fewer titles.
    try? store.eachDeletion(where: .all) {
      found[$0.row] = $0
      return true
    }
    return found
  }
}
