// SPDX-License-Identifier: MIT

/// The properties of a model class, in whichever store its objects are. There is one instance for each class.
final class ModelType: @unchecked Sendable {
  // Unchecked: everything is set by `init`, and `inverses` is locked.

  let modelType: any PersistentModel.Type
  /// The entity's name: the class's own, without what it is nested in.
  let name: String
  /// The entity in the identifiers of objects that were not saved yet.
  let unsavedEntity: EntityReference
  let superclass: ModelType?
  /// Inherited ones first.
  let properties: [PropertyType]
  let hasRelationships: Bool
  /// Whether each property is stored in one column as it stands.
  let isPlain: ContiguousArray<Bool>
  /// Compound constraints and indexes of this very class, by property names.
  let uniqueness: [[AnyKeyPath]]
  let indexes: [[AnyKeyPath]]
  private let make: (_ModelState) -> any PersistentModel
  private let indexesByKeyPath: [AnyKeyPath: Int]
  /// The known inverses by the index of the relationship; nil for a relationship without one.
  private let inverses = Locked<[Int: Int?]>([:])

  private static let all = Locked<[ObjectIdentifier: ModelType]>([:])

  static func of(_ model: any PersistentModel.Type) -> ModelType {
    let key = ObjectIdentifier(model)
    if let known = all.withLock({ $0[key] }) { return known }
    // Not under the lock: the superclass is looked up too, and user code runs.
    let made = ModelType(model)
    return all.withLock { all in
      if let known = all[key] { return known }
      all[key] = made
      return made
    }
  }

  /// A class that is in use, by its entity's name.
  static func named(_ name: String) -> ModelType? { all.withLock { $0.values.first { $0.name == name } } }

  private init(_ model: any PersistentModel.Type) {
    modelType = model
    name = String(describing: model)
    unsavedEntity = EntityReference.of(storeIdentifier: nil, entityName: name)
    superclass = (_getSuperclass(model) as? any PersistentModel.Type).map(ModelType.of)
    let metadata = model.schemaMetadata
    var properties: [PropertyType] = []
    var (uniqueness, indexes): ([[AnyKeyPath]], [[AnyKeyPath]]) = ([], [])
    for entry in metadata {
      switch entry.metadata {
      case let constraints as any UniquenessMetadata: uniqueness += constraints.keyPaths
      case let declared as any IndexMetadata: indexes += declared.keyPaths
      default: properties.append(PropertyType(entry, index: properties.count))
      }
    }
    let inherited = superclass?.inheritedMetadata ?? (uniqueness: 0, indexes: 0)
    self.properties = properties
    hasRelationships = properties.contains { $0.kind != .attribute }
    isPlain = ContiguousArray(properties.map { $0.coder?.isPlain ?? false })
    self.uniqueness = Array(uniqueness.dropFirst(inherited.uniqueness))
    self.indexes = Array(indexes.dropFirst(inherited.indexes))
    indexesByKeyPath = Dictionary(properties.map { ($0.keyPath, $0.index) }) { first, _ in first }
    make = Self.maker(model)
  }

  /// How many constraints and indexes subclasses list before their own.
  private var inheritedMetadata: (uniqueness: Int, indexes: Int) {
    let above = superclass?.inheritedMetadata ?? (uniqueness: 0, indexes: 0)
    return (above.uniqueness + uniqueness.count, above.indexes + indexes.count)
  }

  private static func maker<Model: PersistentModel>(_ model: Model.Type) -> (_ModelState) -> any PersistentModel {
    { state in
      let object = InitializingState.run(state) { Model(backingData: SharedBackingData<Model>(state)) }
      if state.owner == nil { object.hold(state) }
      state.model = object
      return object
    }
  }

  /// An object over `state`.
  func object(_ state: _ModelState) -> any PersistentModel { make(state) }

  /// Whether objects of `other` are objects of this class.
  func includes(_ other: ModelType) -> Bool {
    var next: ModelType? = other
    while let type = next {
      if type === self { return true }
      next = type.superclass
    }
    return false
  }

  /// The class and those above it.
  var lineage: [ModelType] { [self] + (superclass?.lineage ?? []) }

  // MARK: Key paths

  /// The index of the property that a key path reads; nil for one that reads no persisted property.
  ///
  /// A class's own table has the inherited properties too, rooted in the class; key paths rooted in the superclass are
  /// found there.
  func index(of keyPath: AnyKeyPath) -> Int? { indexesByKeyPath[keyPath] ?? superclass?.index(of: keyPath) }

  /// The index of the property that a part of a longer key path reads.
  func index(of part: KeyPathParts.Part) -> Int? {
    properties.first { KeyPathParts($0.keyPath)?.parts == [part] }?.index
  }

  /// The attribute that holds one stored property of a structure, such as `place.city`; nil for another key path.
  func elementName(at keyPath: AnyKeyPath) -> String? {
    let parts = KeyPathParts(keyPath)?.parts.filter { ![.chained, .forced, .wrapped].contains($0) } ?? []
    guard parts.count == 2, let index = index(of: parts[0]), let coder = properties[index].coder,
      let element = coder.element(of: parts[1])
    else { return nil }
    return "\(properties[index].name).\(coder.columns[element.index].name)"
  }

  /// Whether a key path reads the object's `persistentModelID`, or an `id` that is the same.
  func isIdentity(_ keyPath: AnyKeyPath) -> Bool {
    func paths<Model: PersistentModel>(_ model: Model.Type) -> [AnyKeyPath] {
      let id: KeyPath<Model, PersistentIdentifier> = \Model.id
      return [\Model.persistentModelID, id]
    }
    return lineage.contains { paths($0.modelType).contains(keyPath) }
  }

  // MARK: Inverses

  /// The index of the inverse relationship in the destination class; nil for a relationship without an inverse.
  func inverse(of index: Int) -> Int? {
    if let known = inverses.withLock({ $0[index] }) { return known }
    let found = findInverse(of: index)
    inverses.withLock { $0[index] = .some(found) }
    return found
  }

  /// The to-many relationships without an inverse.
  var oneWay: [Int] { properties.indices.filter { properties[$0].kind == .toMany && inverse(of: $0) == nil } }

  private func findInverse(of index: Int) -> Int? {
    let property = properties[index]
    guard let target = property.target.map(ModelType.of) else { return nil }
    if let named = property.inverseKeyPath { return target.index(of: named) }
    let back = target.properties.filter { $0.target.map { ModelType.of($0).includes(self) } ?? false }
    if let claiming = back.first(where: { $0.inverseKeyPath.map { self.index(of: $0) == index } ?? false }) {
      return claiming.index
    }
    guard !property.isOneWay else { return nil }
    // Undeclared: only where exactly one relationship leads each way.
    let free = back.filter { $0.inverseKeyPath == nil && !$0.isOneWay && !(target === self && $0.index == index) }
    let own = properties.filter { other in
      guard let theirs = other.target.map(ModelType.of), other.inverseKeyPath == nil, !other.isOneWay else {
        return false
      }
      let isClaimed = theirs.properties.contains { candidate in
        candidate.inverseKeyPath.map { self.index(of: $0) == other.index } ?? false
      }
      return !isClaimed && (theirs.includes(target) || target.includes(theirs))
    }
    return free.count == 1 && own.count == 1 && own[0].index == index ? free[0].index : nil
  }
}
