// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// Collects the fields of all records of a file, and statistics of their values.
struct Survey {
  /// Number of records whose texts are sampled to infer whether a field holds names, prose or codes.
  private static let sample = 2_000

  private(set) var columns: [Column] = []
  private(set) var records = 0
  /// Number of lines that are not valid records.
  var badLines = 0
  private var indices: [String: Int] = [:]
  private var profiles: [FieldProfile] = []
  /// Whether a column that the file lacks is empty in each record.
  let isTable: Bool
  private let namedTypes: [String: AttributeType]
  private let shapes: ValueShapes

  init(namedTypes: [String: AttributeType], isTable: Bool, _ shapes: ValueShapes) {
    self.namedTypes = namedTypes
    self.isTable = isTable
    self.shapes = shapes
  }

  subscript(_ name: String) -> Column? { indices[name].map { columns[$0] } }

  mutating func add(_ record: InputRecord) throws {
    records += 1
    for (name, value) in record.fields {
      let index = indices[name] ?? columns.count
      if index == columns.count {
        columns.append(Column(name, namedType: namedTypes[name]))
        profiles.append(FieldProfile(isList: false))
        indices[name] = index
      }
      try columns[index].add(value, line: record.line, shapes)
      guard records <= Self.sample else { continue }
      switch value {
      case .text(let text), .cell(let text):
        profiles[index].addRecord()
        Array(text.utf8).withUnsafeBytes { profiles[index].add($0) }
      default: break
      }
    }
  }

  /// Whether any record lacks a value for the column.
  func hasGaps(_ column: Column) -> Bool { column.filled < records }

  /// What is known of the values of each text column, by its name.
  var values: [String: AttributeValues] {
    let share = records == 0 ? 1 : min(1, Double(Self.sample) / Double(records))
    return Dictionary(
      zip(columns, profiles).compactMap { column, profile in
        guard column.type == .string else { return nil }
        let title = profile.title(among: min(records, Self.sample))
        return (column.name, AttributeValues(kind: profile.kind(share: share), title: title))
      }, uniquingKeysWith: { first, _ in first })
  }
}
