// SPDX-License-Identifier: MIT

/// A table with aligned columns. Cells are truncated if the terminal is too narrow.
struct AlignedTable {
  private static let gap = 2
  /// The least width to which a column is truncated.
  private static let least = 8

  private let rows: [[String]]
  private let widths: [Int]

  /// - Parameters:
  ///   - rows: Cells without control characters.
  ///   - width: The width of the terminal in columns.
  init(_ rows: [[String]], width: Int) {
    self.rows = rows
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], DisplayWidth.of(cell))
      }
    }
    widths = widths.map { min($0, max(width, Self.least)) }
    var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - width
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.least {
      widths[widest] -= 1
      excess -= 1
    }
    self.widths = widths
  }

  /// One line a row. `style` gets each displayed cell, with the indices of its row and column.
  func lines(_ style: (String, Int, Int) -> String = { cell, _, _ in cell }) -> [String] {
    rows.enumerated().map { number, row in
      row.enumerated().map { index, cell in
        let shown = DisplayWidth.truncate(cell, to: widths[index])
        let blanks =
          index == row.count - 1 ? "" : DisplayWidth.padded("", to: widths[index] - DisplayWidth.of(shown) + Self.gap)
        return style(shown, number, index) + blanks
      }.joined()
    }
  }
}
