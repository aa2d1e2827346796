// SPDX-License-Identifier: MIT

internal import Store

/// Maps the fields of a file to attributes. A field keeps its name, unless a query could not contain that name. Cells are
/// rewritten to the standard form of numbers and dates.
struct FieldMapping {
  /// The names of existing attributes and relationships, which are never changed.
  private let known: Set<String>
  private var names: [String: String] = [:]
  private(set) var renamed: [(from: String, to: String)] = []

  /// The formats of columns whose cells are not in the standard form, in the order of the file.
  var formats: [ColumnFormat] = [] {
    didSet { formatsByName = Dictionary(uniqueKeysWithValues: formats.map { ($0.column, $0.format) }) }
  }
  /// By the names of attributes.
  private var formatsByName: [String: CellFormat] = [:]

  init(known: Set<String>) { self.known = known }

  /// The record with the names and the forms that the store has.
  mutating func map(_ record: InputRecord) -> InputRecord {
    var record = record
    for index in record.fields.indices {
      let name = record.fields[index].name
      if let other = names[name] { record.fields[index].name = other } else { add(name, &record, index) }
      guard !formatsByName.isEmpty, case .cell(let text) = record.fields[index].value,
        let standard = formatsByName[record.fields[index].name]?.standard(text.trimmed)
      else { continue }
      record.fields[index].value = .cell(standard)
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
