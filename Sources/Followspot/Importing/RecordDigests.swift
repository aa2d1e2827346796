// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Checks whether a record equals an existing row, by the digests of all rows.
struct RecordDigests {
  private let entity: EntityLayout
  private let shapes: ValueShapes
  /// The attributes that are compared. Long values in external files are not compared.
  private let attributes: [Int]
  private var digests: Set<Int> = []

  init(of entity: EntityLayout, in store: PersistentStore, _ shapes: ValueShapes) throws {
    self.entity = entity
    self.shapes = shapes
    attributes = entity.entity.attributes.indices.filter { !entity.entity.attributes[$0].isExternal }
    let rows = try store.rows(of: entity, attributes: attributes)
    while let row = try rows.next() {
      digests.insert(digest(attributes.indices.map { row.isNull($0) ? .null : row.value($0) }))
    }
  }

  func contains(_ record: InputRecord) throws -> Bool {
    var values = entity.entity.attributes.map { $0.defaultValue ?? .null }
    for (name, value) in record.fields {
      if entity.entity.relationship(named: name) != nil { continue }
      guard let index = entity.entity.index(of: name) else { return false }
      var attribute = entity.entity.attributes[index]
      attribute.isOptional = true
      do {
        values[index] = try shapes.fit(imported: value, attribute)
      } catch let error as StoreError where error.code == .invalidValue {
        values[index] = .null
      }
    }
    return digests.contains(digest(attributes.map { values[$0] }))
  }

  private func digest(_ values: [Value]) -> Int {
    var hasher = Hasher()
    // SQLite stores a real without a fraction as an integer if the column's type allows it, so both have one digest.
    for value in values { hasher.combine(Self.number(value) ?? value) }
    return hasher.finalize()
  }

  private static func number(_ value: Value) -> Value? {
    if case .integer(let number) = value, abs(number) < 1 << 53 { .real(Double(number)) } else { nil }
  }
}
