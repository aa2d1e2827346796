// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Writes the changed objects of one save. Nothing of the objects changes here: the save may still fail.
final class ObjectWriter {
  private let session: StoreSession
  private let states: [_ModelState]
  private var lastBinding: EntityBinding?
  /// The values of the row that is written, one for each attribute.
  private var values: [Value?] = []
  private(set) var inserted: [(state: _ModelState, row: RowIdentifier)] = []
  private(set) var updated: [_ModelState] = []
  private(set) var deleted: [_ModelState] = []
  /// Changed here, but deleted by another context or process since it was read.
  private(set) var lost: [_ModelState] = []
  /// Changed by another context or process since it was read.
  private(set) var merged: Set<ObjectIdentifier> = []
  /// To-one relationships that could not be written with their row, for its target had none yet.
  private var postponed: [(state: _ModelState, index: Int)] = []

  init(_ session: StoreSession, _ states: [_ModelState]) {
    self.session = session
    self.states = states
  }

  func write(_ save: Save) throws {
    inserted.reserveCapacity(states.count)
    save.reserveCapacity(states.count)
    // One pass, because many objects are not in a cache.
    var (related, saved, deleted): ([_ModelState], [_ModelState], [_ModelState]) = ([], [], [])
    for state in states {
      switch state.status {
      case .inserted:
        try insert(state, save)
        if state.type.hasRelationships { related.append(state) }
      case .saved: saved.append(state)
      case .deleted: deleted.append(state)
      case .free, .gone: continue
      }
    }
    for (state, index) in postponed { try setTargets(of: state, at: index, save) }
    for state in related { try setMany(of: state, save) }
    for state in saved { try update(state, save) }
    for state in deleted { try delete(state, save) }
  }

  private func binding(of state: _ModelState) throws -> EntityBinding {
    if let lastBinding, lastBinding.type === state.type { return lastBinding }
    if let binding = session.binding.binding(of: state.type) {
      lastBinding = binding
      return binding
    }
    throw SwiftDataError(.unknownSchema, "\(state.type.name) is not in the store: name it in the container's schema")
  }

  // MARK: Inserts

  private func insert(_ state: _ModelState, _ save: Save) throws {
    guard state.type.hasRelationships else {
      if newRow(of: state) == nil { try insertRow(state, save) }
      return
    }
    // Targets first, so that most rows are written once. Not by recursion: a chain of objects may be long.
    var waiting: [(state: _ModelState, isOpen: Bool)] = [(state, false)]
    var open: Set<ObjectIdentifier> = []
    while let (next, isOpen) = waiting.popLast() {
      guard newRow(of: next) == nil else { continue }
      if isOpen {
        try insertRow(next, save)
        continue
      }
      guard open.insert(ObjectIdentifier(next)).inserted else { continue }
      waiting.append((next, true))
      for property in next.type.properties where property.kind == .toOne {
        guard case .one(let target?) = next.slots[property.index] else { continue }
        let related = target.state
        if related.status == .inserted, newRow(of: related) == nil { waiting.append((related, false)) }
      }
    }
  }

  private func insertRow(_ state: _ModelState, _ save: Save) throws {
    let binding = try binding(of: state)
    let count = binding.entity.entity.attributes.count
    if values.count != count { values = Array(repeating: nil, count: count) }
    for index in values.indices { values[index] = nil }
    for (property, attribute) in binding.plain { values[attribute] = try value(of: state, property) }
    var related: [Int: [RowIdentifier]] = [:]
    for index in binding.others {
      switch binding.storage[index] {
      case .composite(let attributes):
        guard let columns = try encoded(state, index) else { continue }
        for (attribute, value) in zip(attributes, columns) { values[attribute] = value }
      case .assembled: preconditionFailure("a store of other software is only read")
      case .relationship(let relationship):
        guard state.type.properties[index].kind == .toOne else { continue }
        if case .one(let target?) = state.slots[index] {
          if let row = row(of: target.state) {
            related[relationship] = [row]
          } else if target.state.status == .inserted {
            postponed.append((state, index))
          }
        } else if case .row(let identifier) = state.slots[index], let row = row(of: identifier) {
          related[relationship] = [row]
        }
      case .attribute, .unstored: continue
      }
    }
    if let existing = try save.existing(binding.entity, values, related: related) {
      try overwrite(existing, state, related, save)
    } else {
      let row = try save.insert(binding.entity, values, related: related)
      note(row, of: state)
    }
  }

  private func note(_ row: RowIdentifier, of state: _ModelState) {
    state.insertedIndex = inserted.count
    inserted.append((state, row))
  }

  /// The row that was written for a new object; nil for other objects.
  private func newRow(of state: _ModelState) -> RowIdentifier? {
    guard inserted.indices.contains(state.insertedIndex) else { return nil }
    let found = inserted[state.insertedIndex]
    return found.state === state ? found.row : nil
  }

  /// A unique value exists already: its row becomes the new object's.
  private func overwrite(
    _ row: RowIdentifier, _ state: _ModelState, _ related: [Int: [RowIdentifier]], _ save: Save
  ) throws {
    guard let entity = session.binding.layout.entity(number: row.entity) else { return }
    let changes = values.enumerated().map { ($0, $1 ?? entity.entity.attributes[$0].defaultValue ?? .null) }
    try save.update(entity, key: row.key, changes.map { (attribute: $0.0, value: $0.1) })
    for (relationship, targets) in related { try save.setTargets(entity, key: row.key, relationship, targets) }
    note(row, of: state)
  }

  /// The column of an attribute in one column; nil where the property was given no value.
  private func value(of state: _ModelState, _ index: Int) throws -> Value? {
    if case .column(let value) = state.slots[index] { return value }
    return try encoded(state, index)?[0]
  }

  /// The columns of an attribute; nil where the property was given no value.
  private func encoded(_ state: _ModelState, _ index: Int) throws -> [Value]? {
    if case .unset = state.slots[index] { return nil }
    let property = state.type.properties[index]
    do { return try property.coder?.encoded(state.slots[index]) } catch {
      throw SwiftDataError(
        .modelValidationFailure, "\(state.type.name).\(property.name) cannot be encoded", underlying: error)
    }
  }

  // MARK: Updates

  private func update(_ state: _ModelState, _ save: Save) throws {
    let binding = try binding(of: state)
    guard let key = state.identifier.row else { return }
    guard let version = try save.version(of: binding.entity, key: key) else {
      lost.append(state)
      return
    }
    if version != state.version { merged.insert(ObjectIdentifier(state)) }
    var changes: [(attribute: Int, value: Value)] = []
    for index in state.changed.indexes {
      switch binding.storage[index] {
      case .attribute(let attribute):
        if let value = try value(of: state, index) { changes.append((attribute, value)) }
      case .composite(let attributes):
        guard let columns = try encoded(state, index) else { continue }
        for (attribute, value) in zip(attributes, columns) { changes.append((attribute, value)) }
      case .assembled: preconditionFailure("a store of other software is only read")
      case .relationship: try setTargets(of: state, at: index, save)
      case .unstored: continue
      }
    }
    if !changes.isEmpty { try save.update(binding.entity, key: key, changes) }
    updated.append(state)
  }

  // MARK: Relationships

  private func setMany(of state: _ModelState, _ save: Save) throws {
    for property in state.type.properties where property.kind == .toMany {
      if case .many(let targets) = state.slots[property.index], !targets.objects.isEmpty {
        try setTargets(of: state, at: property.index, save)
      }
    }
  }

  /// Writes one relationship. A to-many one whose other end is to-one is written from there.
  private func setTargets(of state: _ModelState, at index: Int, _ save: Save) throws {
    let binding = try binding(of: state)
    guard case .relationship(let relationship) = binding.storage[index], let own = row(of: state),
      let entity = session.binding.layout.entity(number: own.entity)
    else { return }
    switch state.slots[index] {
    case .one(let target):
      try save.setTargets(
        entity, key: own.key, relationship, target.flatMap { row(of: $0.state) }.map { [$0] } ?? [])
    case .many(let targets):
      if let back = state.type.inverse(of: index), let target = state.type.properties[index].target,
        ModelType.of(target).properties[back].kind == .toOne
      {
        return
      }
      // Only what was changed here: what others added meanwhile stays.
      let before = state.originals.map { rows($0[index], of: state.type.properties[index]) } ?? []
      let wanted = rows(.many(targets), of: state.type.properties[index])
      let removed = Set(before).subtracting(wanted)
      let stored = try save.store.targets(of: entity.relationships[relationship], from: own.key)
      let added = Set(wanted).subtracting(stored)
      let order = stored.filter { !removed.contains($0) } + wanted.filter { added.contains($0) }
      try save.setTargets(entity, key: own.key, relationship, order)
    default: return
    }
  }

  private func rows(_ slot: Slot, of property: PropertyType) -> [RowIdentifier] {
    guard case .many(let targets) = slot, let coder = property.collection else { return [] }
    return targets.objects.compactMap { row(of: coder.model($0).state) }
  }

  private func row(of state: _ModelState) -> RowIdentifier? {
    if let row = newRow(of: state) { return row }
    guard state.status == .saved else { return nil }
    return row(of: state.identifier)
  }

  private func row(of identifier: PersistentIdentifier) -> RowIdentifier? {
    guard let key = identifier.row, identifier.storeIdentifier == session.identifier,
      let binding = session.binding.binding(named: identifier.entityName)
    else { return nil }
    return RowIdentifier(entity: binding.entity.number, key: key)
  }

  // MARK: Deletes

  private func delete(_ state: _ModelState, _ save: Save) throws {
    guard let key = state.identifier.row else { return }
    try refuseDenied(state)
    _ = try save.delete(try binding(of: state).entity, key: key)
    deleted.append(state)
  }

  /// The store does not know of unsaved objects that lead to a deleted one: no row refers to it.
  private func refuseDenied(_ state: _ModelState) throws {
    for property in state.type.properties where property.relationship?.deleteRule == .deny {
      guard let target = state.known(at: property.index).first(where: { $0.hasChanges && !$0.isDeleted }) else {
        continue
      }
      throw SwiftDataError(
        .modelValidationFailure,
        "\(state.type.name)/p\(state.identifier.row ?? 0) cannot be deleted: its \(property.name) still holds "
          + "\(target.state.identifier.uriRepresentation)")
    }
  }
}
