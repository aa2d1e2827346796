internal import IndexDefinitions
internal import PersistentStore

extension ModelValues {
  /// Records of an entity that are looked at; of a larger one, as many that are spread over it evenly.
  private static var sample: Int { 20_000 }

  /// What the texts of a store are.
  init(of store: PersistentStore) throws {
    self.init()
    let json = try JSONStrings()
    for entity in store.layout.entities {
      self[entity.entity.name] = try Self.kinds(of: entity, in: store, json)
    }
  }

  private static func kinds(
    of entity: EntityLayout, in store: PersistentStore, _ json: JSONStrings
  ) throws -> [String: ValueKind] {
    let attributes = entity.entity.attributes.indices.filter {
      [.string, .url, .strings].contains(entity.entity.attributes[$0].type)
    }
    guard !attributes.isEmpty else { return [:] }
    var profiles = attributes.map { FieldProfile(isList: entity.entity.attributes[$0].type == .strings) }
    let total = try store.count(of: entity)
    var read = 0
    func add(_ row: Row) throws {
      try StopSignal.check()
      read += 1
      for column in attributes.indices where !row.isNull(column) {
        profiles[column].addRecord()
        if profiles[column].isList {
          _ = try json.each(in: row.bytes(column)) { profiles[column].add($1) }
        } else {
          profiles[column].add(row.bytes(column))
        }
      }
    }
    try store.eachRow(of: entity, attributes: attributes, sample: sample, total: total, add)
    let share = total > 0 ? Double(read) / Double(total) : 1
    return [String: ValueKind](
      uniqueKeysWithValues: zip(attributes, profiles).compactMap { attribute, profile in
        profile.kind(share: Swift.min(1, share)).map { (entity.entity.attributes[attribute].name, $0) }
      })
  }
}

extension PersistentStore {
  /// Rows of an entity that are spread evenly over its keys, `sample` at most; all of them where there are not more.
  func eachRow(
    of entity: EntityLayout, attributes: [Int], sample: Int, total: Int, _ body: (Row) throws -> Void
  ) throws {
    guard total > sample else {
      let rows = try rows(of: entity, attributes: attributes)
      while let row = try rows.next() { try body(row) }
      return
    }
    guard let keys = try keyRange(of: entity) else { return }
    var next = keys.lowerBound
    for number in 0..<Int64(sample) {
      let span = Double(keys.upperBound - keys.lowerBound)
      let probe = keys.lowerBound + Int64(Double(number) * span / Double(sample))
      // Keys have gaps: each probe takes the next row, and none is taken twice.
      let found = try withFirstRow(of: entity, atOrAfter: max(probe, next), attributes: attributes) { row in
        if let row { try body(row) }
        return row?.key
      }
      guard let found, found < keys.upperBound else { return }
      next = found + 1
    }
  }
}
