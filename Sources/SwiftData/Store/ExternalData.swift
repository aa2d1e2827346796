// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Data in a file of its own beside the store, which is read at the first access.
final class ExternalData: DeferredData {
  private let session: StoreSession
  private let binding: EntityBinding
  private let attribute: Int
  private let key: Int64

  init(_ session: StoreSession, _ binding: EntityBinding, attribute: Int, key: Int64) {
    self.session = session
    self.binding = binding
    self.attribute = attribute
    self.key = key
  }

  /// What the row holds now; `.null` where it is gone.
  ///
  /// - Throws: `SwiftDataError.readFailure` where the file cannot be read.
  override func load() throws -> Value {
    try session.withStore { store in
      for _ in 0..<10 {
        let stored = try stored(store)
        // A save may replace the file after its row was read.
        if let value = try? store.contents(of: stored) { return value }
      }
      return try store.contents(of: try stored(store))
    }
  }

  private func stored(_ store: PersistentStore) throws -> Value {
    let rows = TableAlias(binding.entity, as: "t0")
    let select = RowSelect(rows, [rows.column(attribute)], where: ["\(rows.key) = ?1"])
    let selection = try store.select(select.sql, [.integer(key)])
    return try selection.next() ? selection.row.value(at: 0) : .null
  }
}
