// SPDX-License-Identifier: MIT

internal import Followspot

/// The output of `count --by FIELD --chart`: a bar for each value or range.
struct BarChart {
  let histogram: Histogram

  init(_ histogram: Histogram) { self.histogram = histogram }

  func print() {
    for line in lines(width: Console.width) { Console.write(line: line) }
    if histogram.omitted > 0 { Console.write(Style.dim("and \(histogram.omitted) more values") + "\n") }
  }

  private func lines(width: Int) -> [String] {
    let labels = histogram.bars.map { $0.label.printable }
    let counts = histogram.bars.map { String($0.count) }
    let labelWidth = min(labels.map(DisplayWidth.of).max() ?? 0, max(1, width / 3))
    let countWidth = counts.map(\.count).max() ?? 0
    let room = max(1, width - labelWidth - countWidth - 3)
    let highest = max(1, histogram.bars.map(\.count).max() ?? 1)
    return zip(zip(labels, counts), histogram.bars).map { texts, bar in
      let label = DisplayWidth.padded(DisplayWidth.truncate(texts.0, to: labelWidth), to: labelWidth)
      let length = Double(bar.count) / Double(highest) * Double(room)
      let graph = Glyphs.bar(length)
      return "\(label)  \(graph)\(graph.isEmpty ? "" : " ")\(Style.dim(texts.1))"
    }
  }
}
