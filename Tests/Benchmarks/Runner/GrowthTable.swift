// SPDX-License-Identifier: MIT

internal import Foundation

/// Times by number of rows, gathered over several calls in `growth.tsv`, and their plots.
struct GrowthTable {
  struct Entry {
    let what: String
    let rows: Int
    let seconds: Double
    let megabytes: Double
  }

  let directory: String
  private var path: String { directory + "/growth.tsv" }

  init(directory: String) { self.directory = directory }

  func add(_ what: String, _ rows: Int, _ seconds: Double, _ megabytes: Double) throws {
    let line = "\(what)\t\(rows)\t\(seconds)\t\(megabytes)\n"
    let before = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    try (before + line).write(toFile: path, atomically: true, encoding: .utf8)
  }

  func rows() throws -> [Entry] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t")
      guard fields.count == 4, let rows = Int(fields[1]), let seconds = Double(fields[2]),
        let megabytes = Double(fields[3])
      else { return nil }
      return Entry(what: String(fields[0]), rows: rows, seconds: seconds, megabytes: megabytes)
    }
  }

  /// Draws what there is.
  func draw() throws {
    let entries = try rows()
    try plot("time.svg", "seconds to build", entries.map { ($0.what, $0.rows, $0.seconds) })
    try plot(
      "time-per-row.svg", "microseconds a row", entries.map { ($0.what, $0.rows, $0.seconds / Double($0.rows) * 1e6) })
    try plot(
      "memory.svg", "MB of memory at most",
      entries.filter { $0.megabytes > 0 }.map { ($0.what, $0.rows, $0.megabytes) })
  }

  private func plot(_ name: String, _ title: String, _ points: [(what: String, rows: Int, value: Double)]) throws {
    guard let most = points.map(\.rows).max(), let highest = points.map(\.value).max(), highest > 0 else { return }
    let (width, height, edge) = (640.0, 400.0, 60.0)
    func x(_ rows: Int) -> Double { edge + Double(rows) / Double(most) * (width - 2 * edge) }
    func y(_ value: Double) -> Double { height - edge - value / highest * (height - 2 * edge) }
    func text(_ x: Double, _ y: Double, _ text: String, anchor: String = "middle") -> String {
      "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(text)</text>\n"
    }
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="\(Int(height))" \
      font-family="sans-serif" font-size="12">
      <rect width="100%" height="100%" fill="white"/>
      <path d="M\(edge) \(edge)V\(height - edge)H\(width - edge)" fill="none" stroke="black"/>

      """
    svg += text(width / 2, edge / 2, title)
    for part in 0...4 {
      let (rows, value) = (most * part / 4, highest * Double(part) / 4)
      svg += text(x(rows), height - edge + 20, "\(rows / 1_000)k")
      svg += text(edge - 6, y(value) + 4, String(format: "%.3g", value), anchor: "end")
    }
    let colours = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad"]
    for (number, what) in Set(points.map(\.what)).sorted().enumerated() {
      let line = points.filter { $0.what == what }.sorted { $0.rows < $1.rows }
      let places = line.map { "\(x($0.rows)),\(y($0.value))" }.joined(separator: " ")
      let colour = colours[number % colours.count]
      svg += "<polyline points=\"\(places)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>\n"
      for point in line {
        svg += "<circle cx=\"\(x(point.rows))\" cy=\"\(y(point.value))\" r=\"3\" fill=\"\(colour)\"/>\n"
      }
      svg += "<g fill=\"\(colour)\">" + text(edge + 12, edge + 16 * Double(number), what, anchor: "start") + "</g>\n"
    }
    try (svg + "</svg>\n").write(toFile: directory + "/" + name, atomically: true, encoding: .utf8)
  }
}
