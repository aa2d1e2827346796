internal import PersistentStore

/// The names that fields of a file get in the store: their own, but for those that no query could say.
struct FieldNames {
  /// Names before a colon that mean something else in a query.
  private static let taken: Set<String> = ["kind", "is"]

  /// The attributes and relationships that are there already keep their names.
  private let known: Set<String>
  private var names: [String: String] = [:]
  private(set) var renamed: [(from: String, to: String)] = []

  init(known: Set<String>) { self.known = known }

  /// The record under the names of the store.
  mutating func rename(_ record: InputRecord) -> InputRecord {
    var record = record
    for index in record.fields.indices {
      let name = record.fields[index].name
      if let other = names[name] { record.fields[index].name = other } else { add(name, &record, index) }
    }
    return record
  }

  private mutating func add(_ name: String, _ record: inout InputRecord, _ index: Int) {
    var usable = name
    if !known.contains(name) {
      usable = String(name.map { $0 == "\"" ? "_" : $0.isNewline || $0 == "\t" ? " " : $0 }).trimmed
      if Self.taken.contains(usable.lowercased()) { usable += "_" }
      if usable != name {
        while names.values.contains(usable) || record.fields.contains(where: { $0.name == usable }) { usable += "_" }
        renamed.append((name, usable))
      }
    }
    names[name] = usable
    record.fields[index].name = usable
  }
}
