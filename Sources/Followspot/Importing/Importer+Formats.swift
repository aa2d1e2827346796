// SPDX-License-Identifier: MIT

internal import Store

/// Chooses how the cells of a table write numbers and dates, before their types are inferred.
extension Importer {
  /// The formats of the columns whose cells are not in the standard form, in the order of the file.
  ///
  /// - Parameter types: The types of attributes that are known.
  func formats(_ file: RecordFile, _ fields: FieldMapping, _ types: [String: AttributeType]) throws -> [ColumnFormat] {
    guard file.isTable else { return [] }
    let (columns, counts) = try countFormats(file, fields)
    let given = [options.decimalMark.map(CellFormat.number), options.dateOrder.map(CellFormat.date)].compactMap(\.self)
    let best = zip(columns, counts).map { $1.best(for: types[$0], given: given) }
    // Columns with one format tell how the program writes the others.
    var evidence: Set<CellFormat> = []
    for (formats, counts) in zip(best, counts) where formats.count == 1 && counts.isEvidence(for: formats[0]) {
      evidence.insert(formats[0])
    }
    return zip(zip(columns, counts), best).compactMap { column, formats in
      let (name, counts) = column
      guard let first = formats.first else { return nil }
      guard formats.count > 1 else { return counts.chosen(first, besides: nil, for: name) }
      let known = formats.filter(evidence.contains)
      let chosen = known.count == 1 ? known[0] : counts.usual(among: formats)
      return counts.chosen(chosen, besides: formats.first { $0 != chosen }, for: name)
    }
  }

  private func countFormats(_ file: RecordFile, _ fields: FieldMapping) throws -> ([String], [FormatCounts]) {
    var fields = fields
    var names: [String] = []
    var counts: [FormatCounts] = []
    let reader = try file.reader(from: options.firstLine)
    while true {
      try checkStopped()
      do {
        guard let record = try reader.next() else { return (names, counts) }
        if names.isEmpty {
          names = fields.map(record).fields.map(\.name)
          counts = names.map { _ in FormatCounts() }
        }
        for (index, field) in record.fields.enumerated() where !field.value.isBlankCell {
          if case .cell(let text) = field.value { counts[index].add(text.trimmed) }
        }
      } catch is BadLine {
        // The survey reports it.
      }
    }
  }
}
