// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

/// Reads the objects of one relationship of many objects at once.
struct Prefetch {
  private let context: ModelContext
  private let session: StoreSession
  private let type: ModelType
  private let index: Int

  init(_ context: ModelContext, _ session: StoreSession, _ type: ModelType, _ index: Int) {
    self.context = context
    self.session = session
    self.type = type
    self.index = index
  }

  func run(_ states: [_ModelState]) throws {
    guard let target = type.properties[index].target.map(ModelType.of) else { return }
    guard let binding = session.binding.binding(of: type),
      case .relationship(let relationshipIndex) = binding.storage[index],
      let plan = session.plan(of: target)
    else { return }
    let relationship = binding.entity.relationships[relationshipIndex]
    let owners = states.filter { isUnread($0) }
    guard !owners.isEmpty else { return }
    let found = try read(owners.compactMap { $0.identifier.row }, binding, relationship, plan)
    for state in owners {
      guard let key = state.identifier.row else { continue }
      state.give(found[key] ?? [], to: index)
    }
  }

  /// The objects by the keys of their owners.
  private func read(
    _ keys: [Int64], _ binding: EntityBinding, _ relationship: RelationshipLayout, _ plan: RowPlan
  ) throws -> [Int64: [any PersistentModel]] {
    let (owner, target) = (TableAlias(binding.entity, as: "t0"), TableAlias(plan.root.entity, as: "t1"))
    var select = RowSelect(owner, plan.columns(of: target) + [owner.key], where: ["\(target.key) IS NOT NULL"])
    select.readsKeysOfParameter = true
    select.joins = [relationship.join(from: owner.name, as: target.name)]
    select.order = [owner.key] + relationship.order(of: target.name)
    let pairs = try session.withStore { store in
      let rows = try store.select(select.sql, [.text("[\(keys.map(String.init).joined(separator: ","))]")])
      let owner = Int32(rows.row.columnCount - 1)
      var pairs: [(owner: Int64, object: any PersistentModel)] = []
      while try rows.next() {
        guard let state = try context.state(of: rows.row, plan) else { continue }
        pairs.append((rows.row.integer(at: owner), state.object))
      }
      return pairs
    }
    return Dictionary(grouping: pairs, by: \.owner).mapValues { $0.map(\.object) }
  }

  /// Unsaved changes are taken in by the slow way.
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

extension _ModelState {
  fileprivate func give(_ objects: [any PersistentModel], to index: Int) {
    if type.properties[index].kind == .toMany {
      slots[index] = .many(RelatedObjects(models: objects))
    } else if let object = objects.first {
      slots[index] = .one(object)
    } else {
      slots[index] = .one(nil)
    }
  }
}
