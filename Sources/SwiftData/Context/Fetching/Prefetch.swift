// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Reads the objects of one relationship of many objects at once.
struct Prefetch {
  let context: ModelContext
  let session: StoreSession
  let type: ModelType
  let index: Int

  func run(_ states: [_ModelState]) throws {
    guard let select = RelationshipSelect(type, index, session) else { return }
    let owners = states.filter { isUnread($0) }
    guard !owners.isEmpty else { return }
    let found = try read(owners.compactMap { $0.identifier.row }, select)
    for state in owners {
      guard let key = state.identifier.row else { continue }
      let objects = found[key] ?? []
      state.slots[index] =
        type.properties[index].kind == .toMany ? .many(RelatedObjects(models: objects)) : .one(objects.first)
    }
  }

  /// The objects by the keys of their owners.
  private func read(_ keys: [Int64], _ select: RelationshipSelect) throws -> [Int64: [any PersistentModel]] {
    var statement = select.statement
    statement.columns.append(select.owner.key)
    statement.readsKeysOfParameter = true
    statement.order.insert(select.owner.key, at: 0)
    return try session.withStore { store in
      let rows = try store.select(statement.sql, [.text("[\(keys.map(String.init).joined(separator: ","))]")])
      let owner = Int32(rows.row.columnCount - 1)
      var objects: [Int64: [any PersistentModel]] = [:]
      while try rows.next() {
        guard let state = try context.state(of: rows.row, select.plan) else { continue }
        objects[rows.row.integer(at: owner), default: []].append(state.object)
      }
      return objects
    }
  }

  /// A relationship that unsaved changes may alter is read for each object by itself.
  private func isUnread(_ state: _ModelState) -> Bool {
    if state.isPartial { state.fill() }
    guard !state.isFault, state.status == .saved else { return false }
    switch state.slots[index] {
    case .row: return true
    case .unread:
      return !context.pending.contains { other in
        type.properties[index].target.map { ModelType.of($0).includes(other.type) } ?? false
      }
    default: return false
    }
  }
}
