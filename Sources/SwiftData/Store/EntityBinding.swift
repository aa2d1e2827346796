// SPDX-License-Identifier: MIT

internal import Store

/// Where the properties of one model class are in one store.
final class EntityBinding {
  /// How the store keeps one property. Columns are attribute indexes of the entity's layout.
  enum Storage {
    case attribute(Int)
    case composite([Int])
    /// In a store that other software made: where each column of the property's coder comes from.
    case assembled([ColumnSource])
    case relationship(Int)
    case unstored
  }

  let type: ModelType
  let entity: EntityLayout
  /// By the index of the property.
  let storage: [Storage]
  /// The properties that are one attribute each, and the indexes of all others.
  let plain: [(property: Int, attribute: Int)]
  let others: [Int]
  let reference: EntityReference

  init(_ type: ModelType, _ entity: EntityLayout, storeIdentifier: String, isOwn: Bool) {
    self.type = type
    self.entity = entity
    reference = EntityReference.of(storeIdentifier: storeIdentifier, entityName: type.name)
    let storage = type.properties.map { property -> Storage in
      guard property.isStored else { return .unstored }
      guard isOwn else { return Self.storage(of: property, inForeign: entity.entity) }
      guard property.kind == .attribute else {
        return entity.entity.relationship(named: property.name).map(Storage.relationship) ?? .unstored
      }
      if let index = entity.entity.index(of: property.name) { return .attribute(index) }
      let columns = (property.coder?.columns ?? []).compactMap {
        entity.entity.index(of: property.name + "." + $0.name)
      }
      return columns.count == property.coder?.columns.count ? .composite(columns) : .unstored
    }
    self.storage = storage
    plain = storage.enumerated().compactMap { index, found in
      if case .attribute(let attribute) = found { (index, attribute) } else { nil }
    }
    let plainProperties = Set(plain.map(\.property))
    others = storage.indices.filter { !plainProperties.contains($0) }
  }

  /// Where a property is in an entity of a store that other software made; `.unstored` where it is missing.
  private static func storage(of property: PropertyType, inForeign entity: EntityDescription) -> Storage {
    guard property.kind == .attribute else {
      return property.storedNames.lazy.compactMap(entity.relationship).first.map(Storage.relationship) ?? .unstored
    }
    let sources = ColumnSource.sources(of: property, in: entity)
    guard !sources.isEmpty, sources.allSatisfy({ $0 != nil }) else { return .unstored }
    let plain = sources.compactMap { source in
      if case .column(let index)? = source { index } else { nil as Int? }
    }
    guard plain.count == sources.count else { return .assembled(sources.compactMap(\.self)) }
    return property.columnNames.count == 1 && plain.count == 1 ? .attribute(plain[0]) : .composite(plain)
  }
}

/// The classes of one store, found by class and by number.
final class StoreBinding {
  let storeIdentifier: String
  let layout: StoreLayout
  private let byType: [ObjectIdentifier: EntityBinding]
  private let byNumber: [Int: EntityBinding]
  /// Those of the entities whose numbers count from 1 without gaps, by number less 1; nil for entities without a class.
  private let dense: [EntityBinding?]
  private let byName: [String: EntityBinding]

  init(_ types: [ModelType], _ store: PersistentStore) {
    storeIdentifier = store.uuid
    layout = store.layout
    let bindings = types.compactMap { type in
      store.layout.entity(named: type.name).map {
        EntityBinding(type, $0, storeIdentifier: store.uuid, isOwn: store.isOwn)
      }
    }
    byType = Dictionary(bindings.map { (ObjectIdentifier($0.type), $0) }) { first, _ in first }
    byName = Dictionary(bindings.map { ($0.type.name, $0) }) { first, _ in first }
    var byNumber = Dictionary(bindings.map { ($0.entity.number, $0) }) { first, _ in first }
    // A program that reads a store of other software may name some of its entities. Objects of the others are objects of
    // the nearest class above them.
    for entity in store.isOwn ? [] : store.layout.entities where byNumber[entity.number] == nil {
      guard let above = entity.lineage.reversed().lazy.compactMap({ byNumber[$0] }).first else { continue }
      byNumber[entity.number] = EntityBinding(above.type, entity, storeIdentifier: store.uuid, isOwn: false)
    }
    self.byNumber = byNumber
    dense = layout.entities.indices.map { byNumber[$0 + 1] }
  }

  var bindings: some Collection<EntityBinding> { byNumber.values }
  func binding(of type: ModelType) -> EntityBinding? { byType[ObjectIdentifier(type)] }
  func binding(number: Int) -> EntityBinding? {
    dense.indices.contains(number - 1) ? dense[number - 1] : byNumber[number]
  }
  func binding(named name: String) -> EntityBinding? { byName[name] }

  func identifier(of row: RowIdentifier) -> PersistentIdentifier? {
    binding(number: row.entity).map { PersistentIdentifier($0.reference, key: row.key) }
  }

  /// How many entities have their rows in the table of `binding`.
  func entities(sharingTableOf binding: EntityBinding) -> Int {
    layout.entities.count { $0.rootNumber == binding.entity.rootNumber }
  }

  /// The binding of the class and those of all its subclasses in this store.
  func family(of type: ModelType) -> [EntityBinding] { byNumber.values.filter { type.includes($0.type) } }
}
