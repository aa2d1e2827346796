// SPDX-License-Identifier: MIT

internal import SQLite

/// Constraints that are checked when a save ends, but may be violated while it is open. Required relationships have an
/// object, counts are within their bounds, and no object remains that a deny rule protects.
struct DeferredConstraints {
  private struct Count: Hashable {
    let row: RowIdentifier
    let relationship: Int
  }

  private struct Denial {
    let row: RowIdentifier
    let relationship: String
    let targets: [RowIdentifier]
  }

  private var counts: Set<Count> = []
  private var denials: [Denial] = []

  /// A new object must satisfy all constraints of its relationships.
  mutating func addCounts(ofInserted row: RowIdentifier, _ entity: EntityLayout) {
    for (index, relationship) in entity.relationships.enumerated() { addCount(row, index, relationship) }
  }

  /// Checks the number of objects of a relationship, which changed, at the end.
  mutating func addCount(_ row: RowIdentifier, _ relationship: Int, _ layout: RelationshipLayout) {
    guard Self.bounds(layout.description) != nil else { return }
    counts.insert(Count(row: row, relationship: relationship))
  }

  mutating func addDenial(_ row: RowIdentifier, _ layout: RelationshipLayout, _ targets: [RowIdentifier]) {
    guard !targets.isEmpty else { return }
    denials.append(Denial(row: row, relationship: layout.name, targets: targets))
  }

  private static func bounds(_ description: RelationshipDescription) -> ClosedRange<Int>? {
    if !description.isToMany { return description.isOptional ? nil : 1...1 }
    let (least, most) = (description.minimumCount ?? 0, description.maximumCount ?? .max)
    return least == 0 && most == .max ? nil : least...most
  }

  /// - Throws: `StoreError.denied`, `.invalidValue`.
  func check(_ store: PersistentStore) throws {
    for denial in denials {
      guard let entity = store.layout.entity(number: denial.row.entity) else { continue }
      for target in denial.targets {
        guard let other = store.layout.entity(number: target.entity), try store.exists(other, key: target.key) else {
          continue
        }
        throw StoreError(
          .denied,
          "\(entity.entity.name)/p\(denial.row.key) cannot be deleted: its \(denial.relationship) still holds "
            + "\(other.entity.name)/p\(target.key)",
          recovery: .deleteRelatedFirst,
          subject: StoreError.Subject(entity.entity.name, [denial.relationship], key: denial.row.key))
      }
    }
    var counts = TargetCounts(connection: store.connection)
    for count in self.counts.sorted(by: { ($0.row, $0.relationship) < ($1.row, $1.relationship) }) {
      guard let entity = store.layout.entity(number: count.row.entity) else { continue }
      let layout = entity.relationships[count.relationship]
      guard let bounds = Self.bounds(layout.description) else { continue }
      let found = try counts.count(of: layout, from: count.row.key)
      // Most constraints are satisfied, so the existence of the object is checked last.
      guard !bounds.contains(found), try store.exists(entity, key: count.row.key) else { continue }
      let name = "\(entity.entity.name)/p\(count.row.key): \(layout.name)"
      throw StoreError.invalidValue(
        layout.description.isToMany
          ? "\(name) has \(found) objects; \(Self.words(bounds))" : "\(name) needs an object",
        StoreError.Subject(entity.entity.name, [layout.name], key: count.row.key))
    }
  }

  /// Counts related objects. Counts of one relationship often follow each other, so the statement is reused.
  private struct TargetCounts {
    let connection: Connection
    private var last: (owner: Int, name: String, statement: Statement)?

    init(connection: Connection) { self.connection = connection }

    mutating func count(of layout: RelationshipLayout, from key: Int64) throws -> Int {
      let statement = try statement(layout)
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }

    private mutating func statement(_ layout: RelationshipLayout) throws -> Statement {
      if let last, last.owner == layout.owner, last.name == layout.name { return last.statement }
      let statement = try connection.statement(
        "SELECT COUNT(*) FROM \(layout.ownerTable) t0 \(layout.join(from: "t0", as: "t1")) WHERE t0.Z_PK = ?1")
      last = (layout.owner, layout.name, statement)
      return statement
    }
  }

  private static func words(_ bounds: ClosedRange<Int>) -> String {
    bounds.upperBound == .max ? "\(bounds.lowerBound) at least" : "\(bounds.lowerBound) to \(bounds.upperBound) fit"
  }
}
