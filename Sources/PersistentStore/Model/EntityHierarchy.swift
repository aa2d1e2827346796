/// The entities of a model, each after its superentity. Where no file gives them numbers, they are numbered in this
/// order: roots by name, sub-entities directly after their superentity, depth first.
struct EntityHierarchy {
  struct Node {
    /// The entity with everything it inherits: the root's properties first, composites as their elements.
    let entity: EntityDescription
    /// As the file has it; else counts from 1.
    let number: Int
    /// 0 for roots.
    let superNumber: Int
    let rootNumber: Int
    /// How far below the root each attribute was described, by attribute index.
    let attributeDepths: [Int]
    /// The number of the entity that describes each relationship, by relationship index.
    let relationshipOwners: [Int]
    /// From the root down to the entity itself.
    let lineage: [Int]
    /// The highest number among the entities below this one, at any depth; its own where there are none.
    var lastDescendant: Int
    var hasSubentities = false
  }

  private(set) var nodes: [Node] = []

  private let numbers: [String: Int]
  /// Whether a file of other software gave the numbers.
  var isNumbered: Bool { !numbers.isEmpty }

  /// - Parameter numbers: By entity name, as a file has them; the entity's place where it has none.
  init(model: ModelDescription, numbers: [String: Int] = [:]) {
    self.numbers = numbers
    let bySuper = Dictionary(grouping: model.entities) { $0.superentity ?? "" }
    add(bySuper[""] ?? [], below: nil, bySuper)
  }

  private mutating func add(
    _ entities: [EntityDescription], below parent: Node?, _ bySuper: [String: [EntityDescription]]
  ) {
    func rank(_ entity: EntityDescription) -> (Int, String) { (numbers[entity.name] ?? .max, entity.name) }
    for own in entities.sorted(by: { rank($0) < rank($1) }) {
      let place = nodes.count
      let number = numbers[own.name] ?? place + 1
      var whole = own
      let flattened = own.attributes + own.composites.flatMap(\.flattened)
      let depth = parent?.lineage.count ?? 0
      whole.attributes = (parent?.entity.attributes ?? []) + flattened
      whole.relationships = (parent?.entity.relationships ?? []) + own.relationships
      whole.composites = (parent?.entity.composites ?? []) + own.composites
      whole.uniqueness = (parent?.entity.uniqueness ?? []) + own.uniqueness
      whole.indexes = (parent?.entity.indexes ?? []) + own.indexes
      nodes.append(
        Node(
          entity: whole, number: number, superNumber: parent?.number ?? 0, rootNumber: parent?.rootNumber ?? number,
          attributeDepths: (parent?.attributeDepths ?? []) + flattened.map { _ in depth },
          relationshipOwners: (parent?.relationshipOwners ?? []) + own.relationships.map { _ in number },
          lineage: (parent?.lineage ?? []) + [number], lastDescendant: number))
      add(bySuper[own.name] ?? [], below: nodes[place], bySuper)
      nodes[place].hasSubentities = nodes.count > place + 1
      nodes[place].lastDescendant = nodes[place...].map(\.number).max() ?? number
    }
  }

  func node(number: Int) -> Node? { nodes.first { $0.number == number } }

  func node(named name: String) -> Node? { nodes.first { $0.entity.name == name } }
}
