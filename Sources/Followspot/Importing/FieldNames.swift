internal import PersistentStore

/// Maps the fields of a file to attribute names. A field keeps its name, unless a query could not contain that name.
struct FieldNames {
  /// The names of existing attributes and relationships, which are never changed.
  private let known: Set<String>
  private var names: [String: String] = [:]
  private(set) var renamed: [(from: String, to: String)] = []

  init(known: Set<String>) { self.known = known }

  /// The record with its fields renamed as in the store.
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
      usable = ModelDescription.usableName(usable)
      if usable != name {
        while names.values.contains(usable) || record.fields.contains(where: { $0.name == usable }) { usable += "_" }
        renamed.append((name, usable))
      }
    }
    names[name] = usable
    record.fields[index].name = usable
  }
}
