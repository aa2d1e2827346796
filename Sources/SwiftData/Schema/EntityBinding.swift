internal import PersistentStore
internal import SQLite

/// Where the properties of one model class are in one store.
final class EntityBinding {
  /// Where one property is. Columns are attribute indexes of the entity's layout.
  enum Place {
    case attribute(Int)
    case composite([Int])
    case relationship(Int)
    case unstored
  }

  let type: ModelType
  let entity: EntityLayout
  /// By place of the property.
  let places: [Place]
  let reference: EntityReference

  init(_ type: ModelType, _ entity: EntityLayout, storeIdentifier: String) {
    self.type = type
    self.entity = entity
    reference = EntityReference.of(storeIdentifier: storeIdentifier, entityName: type.name)
    places = type.properties.map { property in
      guard property.isStored else { return .unstored }
      guard property.kind == .attribute else {
        return entity.entity.relationship(named: property.name).map(Place.relationship) ?? .unstored
      }
      if let index = entity.entity.index(of: property.name) { return .attribute(index) }
      let columns = (property.coder?.columns ?? []).compactMap {
        entity.entity.index(of: property.name + "." + $0.name)
      }
      return columns.count == property.coder?.columns.count ? .composite(columns) : .unstored
    }
  }
}

/// The classes of one store, found by class and by number.
final class StoreBinding {
  let storeIdentifier: String
  let layout: StoreLayout
  private let byType: [ObjectIdentifier: EntityBinding]
  private let byNumber: [Int: EntityBinding]
  private let byName: [String: EntityBinding]

  init(_ types: [ModelType], _ store: PersistentStore) {
    storeIdentifier = store.uuid
    layout = store.layout
    let bindings = types.compactMap { type in
      store.layout.entity(named: type.name).map { EntityBinding(type, $0, storeIdentifier: store.uuid) }
    }
    byType = Dictionary(bindings.map { (ObjectIdentifier($0.type), $0) }) { first, _ in first }
    byNumber = Dictionary(bindings.map { ($0.entity.number, $0) }) { first, _ in first }
    byName = Dictionary(bindings.map { ($0.type.name, $0) }) { first, _ in first }
  }

  var bindings: some Collection<EntityBinding> { byNumber.values }
  func binding(of type: ModelType) -> EntityBinding? { byType[ObjectIdentifier(type)] }
  func binding(number: Int) -> EntityBinding? { byNumber[number] }
  func binding(named name: String) -> EntityBinding? { byName[name] }

  /// How many entities have their rows in the table of `binding`.
  func entities(sharingTableOf binding: EntityBinding) -> Int {
    layout.entities.count { $0.rootNumber == binding.entity.rootNumber }
  }

  /// The binding of the class and those of all its subclasses in this store.
  func family(of type: ModelType) -> [EntityBinding] { byNumber.values.filter { type.includes($0.type) } }
}
