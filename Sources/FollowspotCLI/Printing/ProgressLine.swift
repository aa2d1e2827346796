// SPDX-License-Identifier: MIT

internal import Base

/// The progress of long work on one terminal line: phase, rows done, rate and time left.
enum ProgressLine {
  static func show(_ progress: Progress) {
    let phase =
      switch progress.phase {
      case "building": "reading rows into the index"
      case "writing": "writing the index"
      default: "comparing index and store"
      }
    let (done, total) = (progress.done, progress.total)
    guard total > 0 else { return Console.progress(phase) }
    guard done < total else { return Console.progress("\(phase): \(total) of \(total) rows") }
    let rate = progress.elapsed > 0 ? Double(done) / progress.elapsed : 0
    let left = rate > 0 ? ", \(Int(rate)) a second, \(HumanText.duration(Double(total - done) / rate)) left" : ""
    Console.progress("\(phase): \(done) of \(total) rows\(left)")
  }
}
