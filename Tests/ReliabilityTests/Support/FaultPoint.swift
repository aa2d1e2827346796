// SPDX-License-Identifier: MIT

import Foundation

/// A fault to inject into a process: which call fails, and how. `library` injects it.
struct FaultPoint: Sendable, CustomStringConvertible {
  enum Call: String, CaseIterable, Sendable {
    case write, sync, rename, create, open, read, truncate, remove, link, allocate, notice, watch
  }

  enum Fate: Sendable {
    /// The process ends before the call.
    case kill
    /// The process ends after half of a write.
    case torn
    case failure(Int32, isLasting: Bool)
  }

  /// The calls that change files.
  static let changes: [Call] = [.write, .sync, .rename, .create, .truncate, .remove, .link]

  var calls: [Call]
  /// The number of the call that goes wrong; 0 to count alone.
  var at = 0
  var fate = Fate.kill
  /// A file without which no call goes wrong: who removes it ends the trouble of a running process.
  var gate: String?

  var description: String { "\(calls.map(\.rawValue).joined(separator: ",")) at \(at): \(fate)" }

  /// What a process needs to meet the fault in files below `directory`.
  func environment(directory: String, trace: String) throws -> [String: String] {
    var environment = [
      "LD_PRELOAD": try Self.library, "FAULTPOINT_DIRECTORY": directory,
      "FAULTPOINT_CALLS": calls.map(\.rawValue).joined(separator: ","), "FAULTPOINT_AT": "\(at)",
      "FAULTPOINT_TRACE": trace, "FAULTPOINT_SECONDS": "120",
    ]
    if let gate { environment["FAULTPOINT_WHILE"] = gate }
    switch fate {
    case .kill: environment["FAULTPOINT_FATE"] = "kill"
    case .torn: environment["FAULTPOINT_FATE"] = "torn"
    case .failure(let code, let isLasting):
      environment["FAULTPOINT_FATE"] = "fail"
      environment["FAULTPOINT_ERRNO"] = "\(code)"
      environment["FAULTPOINT_LASTING"] = isLasting ? "1" : "0"
    }
    return environment
  }

  /// One call that was counted.
  struct Line: Sendable, CustomStringConvertible {
    let number: Int
    let call: String
    let path: String
    let fate: String

    var isFault: Bool { fate != "goes" }
    var description: String { "call \(number), \(call) of \(path), \(fate)" }
  }

  static func trace(_ path: String) -> [Line] {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
      .split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "\t")
        guard parts.count == 5, let number = Int(parts[0]) else { return nil }
        return Line(number: number, call: String(parts[1]), path: String(parts[2]), fate: String(parts[4]))
      }
  }
}
