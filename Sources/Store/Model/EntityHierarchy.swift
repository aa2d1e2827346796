// SPDX-License-Identifier: MIT

/// The entities of a model, each after its superentity. Unless a file gives their numbers, they are numbered in this
/// order: roots by name, subentities directly after their superentity, depth first.
struct EntityHierarchy {
  struct Node {
    /// The entity with all inherited properties: the root's first, composites as their elements.
    let entity: EntityDescription
    /// The entity number (`Z_ENT`) in the file; for a new store it counts from 1.
    let number: Int
    /// 0 for roots.
    let superNumber: Int
    let rootNumber: Int
    /// The depth in the hierarchy at which each attribute was declared, by attribute index.
    let attributeDepths: [Int]
    /// The number of the entity that declares each relationship, by relationship index.
    let relationshipOwners: [Int]
    /// The numbers of the entities from the root to this entity.
    let lineage: [Int]
    /// The highest number among the subentities at any depth; the entity's own number if it has none.
    var lastDescendant: Int
    var hasSubentities = false
  }

  private(set) var nodes: [Node] = []

  private let numbers: [String: Int]
  /// Whether the numbers come from a file of other software.
  var isNumbered: Bool { !numbers.isEmpty }

  /// - Parameter numbers: Entity numbers of a file, by name. An entity without one gets its position in the order.
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
      let index = nodes.count
      let number = numbers[own.name] ?? index + 1
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
      add(bySuper[own.name] ?? [], below: nodes[index], bySuper)
      nodes[index].hasSubentities = nodes.count > index + 1
      nodes[index].lastDescendant = nodes[index...].map(\.number).max() ?? number
    }
  }

  func node(number: Int) -> Node? { nodes.first { $0.number == number } }

  func node(named name: String) -> Node? { nodes.first { $0.entity.name == name } }
}
