// SPDX-License-Identifier: MIT

internal import Base
internal import Store

extension ModelValues {
  /// Maximum number of records of an entity that are read. In a larger entity, they are spread evenly.
  private static var sample: Int { 20_000 }
  /// Maximum number of these from which the languages are inferred.
  private static var languageSample: Int { 2_000 }

  /// Maximum number of keys of JSON objects that are kept of an attribute.
  private static var mostKeys: Int { 500 }

  /// Infers the kinds of all attributes of texts and integers of a store, and the languages of its texts.
  init(of store: PersistentStore) throws {
    self.init()
    let json = try JSONStrings()
    for entity in store.layout.entities {
      self[entity.entity.name] = try Self.values(of: entity, in: store, json)
    }
  }

  private static func values(
    of entity: EntityLayout, in store: PersistentStore, _ json: JSONStrings
  ) throws -> [String: AttributeValues] {
    let all = entity.entity.attributes
    let texts = all.indices.filter { [.string, .url, .strings, .json].contains(all[$0].type) }
    // What identifies a row is not a year.
    let integers = all.indices.filter {
      [.integer16, .integer32, .integer64].contains(all[$0].type) && !all[$0].isUnique
    }
    guard !texts.isEmpty || !integers.isEmpty else { return [:] }
    let types = texts.map { all[$0].type }
    var profiles = types.map { FieldProfile(isList: $0 == .strings) }
    var keys = types.map { _ in Set<String>() }
    var years = integers.map { YearProfile(name: all[$0].name) }
    let total = try store.count(of: entity)
    let step = Swift.max(1, (Swift.min(total, sample) + languageSample - 1) / languageSample)
    var read = 0
    func add(_ text: UnsafeRawBufferPointer, to column: Int) {
      if types[column] != .json { profiles[column].add(text) }
      if read % step == 0 { profiles[column].addLanguage(of: text) }
    }
    func add(_ row: Row) throws {
      try StopSignal.check()
      for column in texts.indices where !row.isNull(column) {
        profiles[column].addRecord()
        if types[column] == .strings || types[column] == .json {
          _ = try json.each(in: row.bytes(column)) { path, text in
            add(text, to: column)
            if keys[column].count < mostKeys, !path.isEmpty { keys[column].insert(path) }
          }
        } else {
          add(row.bytes(column), to: column)
        }
      }
      for column in integers.indices where !row.isNull(texts.count + column) {
        years[column].add(row.integer(texts.count + column))
      }
      read += 1
    }
    try store.eachRow(of: entity, attributes: texts + integers, sample: sample, total: total, add)
    let share = total > 0 ? Double(read) / Double(total) : 1
    let ofTexts = texts.indices.map { column in
      let profile = profiles[column]
      let values = AttributeValues(
        kind: profile.kind(share: Swift.min(1, share)), languages: profile.languages,
        title: profile.title(among: read), keys: Set(keys[column].map { $0.lowercased() }))
      return (all[texts[column]].name, values)
    }
    let ofIntegers = zip(integers, years).map { (all[$0].name, AttributeValues(kind: $1.kind)) }
    return [String: AttributeValues](uniqueKeysWithValues: ofTexts + ofIntegers)
  }
}

extension PersistentStore {
  /// Calls `body` with at most `sample` rows of an entity, spread evenly over its keys. If it has no more rows, all are
  /// read.
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
    let span = Double(keys.upperBound) - Double(keys.lowerBound)
    for number in 0..<sample {
      // Any two keys may be further apart than the highest key is from zero.
      let probe = keys.lowerBound &+ Int64(bitPattern: UInt64(Double(number) * span / Double(sample)))
      // Keys have gaps: each probe reads the next existing row, and no row is read twice.
      let found = try withFirstRow(of: entity, atOrAfter: max(probe, next), attributes: attributes) { row in
        if let row { try body(row) }
        return row?.key
      }
      guard let found, found < keys.upperBound else { return }
      next = found + 1
    }
  }
}
