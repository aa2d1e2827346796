// SPDX-License-Identifier: MIT

internal import Store

/// The format of a column's cells, as an import chose it.
package struct ColumnFormat: Sendable {
  package let column: String
  package let format: CellFormat
  /// A cell that another format would read in another way, or that is not in the standard form.
  package let example: (cell: String, standard: String)
  /// Another format that fits as well, and how it reads the example.
  package let alternative: (format: CellFormat, standard: String)?
}

/// Counts how many cells of a column each format fits.
struct FormatCounts {
  private var filled = 0
  /// Number of cells of digits with a leading zero.
  private var codes = 0
  private var fitting = [Int](repeating: 0, count: CellFormat.all.count)
  /// The first cell that each format changes.
  private var changed = [String?](repeating: nil, count: CellFormat.all.count)
  /// The first cell with different readings: by the decimal marks, and by the orders of dates that can be mistaken.
  private var differing: (number: String?, date: String?)

  mutating func add(_ cell: String) {
    filled += 1
    if ValueShapes.isCode(cell) { codes += 1 }
    var readings: [CellFormat: String] = [:]
    for (index, format) in CellFormat.all.enumerated() {
      guard let reading = format.standard(cell) else { continue }
      readings[format] = reading
      fitting[index] += 1
      if reading != cell, changed[index] == nil { changed[index] = cell }
    }
    func differ(_ one: CellFormat, _ other: CellFormat) -> Bool {
      if let first = readings[one], let second = readings[other] { first != second } else { false }
    }
    if differing.number == nil, differ(.number(.point), .number(.comma)) { differing.number = cell }
    if differing.date == nil, differ(.date(.dmy), .date(.mdy)) { differing.date = cell }
  }

  /// The formats that fit the most cells, and at least 99 of 100 unless the type is known. Two formats are returned only
  /// if they read some cell in different ways.
  ///
  /// - Parameters:
  ///   - type: The type of the attribute; nil if the cells decide.
  ///   - given: The formats that a person named: at most one for numbers, and one for dates.
  func best(for type: AttributeType?, given: [CellFormat]) -> [CellFormat] {
    let isAllowed = CellFormat.all.map { format -> Bool in
      if let other = given.first(where: { $0.isNumber == format.isNumber }), other != format { return false }
      guard let type else { return format.isNumber ? codes == 0 : true }
      return format.isNumber ? type.isNumeric : type == .date
    }
    let candidates = CellFormat.all.indices.filter {
      isAllowed[$0] && fitting[$0] > 0 && (type != nil || fitting[$0] * 100 >= filled * 99)
    }
    guard let most = candidates.map({ fitting[$0] }).max() else { return [] }
    let best = candidates.filter { fitting[$0] == most }.map { CellFormat.all[$0] }
    let example = best[0].isNumber ? differing.number : differing.date
    return example == nil || best.contains(.date(.ymd)) ? [best[0]] : best
  }

  /// The format to take if nothing else tells: a decimal point; the month first with slashes, as in America, and the day
  /// first otherwise.
  func usual(among formats: [CellFormat]) -> CellFormat {
    let isAmerican = differing.date?.contains("/") == true
    let usual = formats[0].isNumber ? CellFormat.number(.point) : .date(isAmerican ? .mdy : .dmy)
    return formats.contains(usual) ? usual : formats[0]
  }

  /// Whether some cell shows that the column has this format and no other.
  func isEvidence(for format: CellFormat) -> Bool {
    (format.isNumber ? differing.number : differing.date) != nil || changedCell(format) != nil
  }

  private func changedCell(_ format: CellFormat) -> String? {
    CellFormat.all.firstIndex(of: format).flatMap { changed[$0] }
  }

  /// nil if the cells are in the standard form.
  func chosen(_ format: CellFormat, besides other: CellFormat?, for column: String) -> ColumnFormat? {
    let cell = other == nil ? changedCell(format) : format.isNumber ? differing.number : differing.date
    guard let cell, let standard = format.standard(cell) else { return nil }
    let alternative = other.flatMap { other in other.standard(cell).map { (other, $0) } }
    return ColumnFormat(column: column, format: format, example: (cell, standard), alternative: alternative)
  }
}

extension AttributeType {
  fileprivate var isNumeric: Bool { isInteger || [.double, .float, .decimal].contains(self) }
}
