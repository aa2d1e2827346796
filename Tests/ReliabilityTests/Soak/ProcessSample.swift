// SPDX-License-Identifier: MIT

import Foundation

/// The resources of a process at one moment, as reported by the system.
struct ProcessSample: Sendable {
  let seconds: Double
  let residentKilobytes: Int
  let descriptors: Int

  /// nil if the process has ended.
  init?(of pid: Int32, at seconds: Double) {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let resident = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }),
      let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
    else { return nil }
    self.seconds = seconds
    residentKilobytes = resident
    descriptors = names.count
  }
}

/// The samples of one process over its life.
struct ProcessCurve: Sendable {
  private(set) var samples: [ProcessSample] = []

  mutating func add(_ sample: ProcessSample?) { if let sample { samples.append(sample) } }

  /// The middle one of some samples: a single batch may be large.
  private static func median(_ samples: ArraySlice<ProcessSample>, _ value: (ProcessSample) -> Int) -> Int {
    let sorted = samples.map(value).sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  /// What it is by the end of the first third, when it has warmed up, and at the end.
  func growth(_ value: (ProcessSample) -> Int) -> (from: Int, to: Int) {
    let tenth = max(1, samples.count / 10)
    let warm = samples.count / 3
    return (Self.median(samples.dropFirst(warm).prefix(tenth), value), Self.median(samples.suffix(tenth), value))
  }

  /// Seconds between the samples that are compared.
  var seconds: Double { ((samples.last?.seconds ?? 0) - (samples.first?.seconds ?? 0)) * 2 / 3 }
}
