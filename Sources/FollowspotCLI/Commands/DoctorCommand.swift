// SPDX-License-Identifier: MIT

internal import Followspot
internal import FoundationEssentials

struct DoctorCommand: Verb {
  static let description = CommandDescription(
    name: "doctor", summary: "check the setup: store, index, follower, disk, terminal",
    details: """
      Print one line per check: ok, warn or fail, with a hint if something can be done. Nothing is changed. The exit code
      is 1 if a check fails.
      If a group or several stores are named, all of them are checked.
      """,
    examples: ["followspot --store movies.store doctor", "followspot doctor --format json"])

  @Option("--format", "FORMAT") var format: DocumentFormat?

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    let environment = ProcessInfo.processInfo.environment
    var checks: [JSONObject] = []
    var hasFailed = false
    func show(_ findings: [Doctor.Finding], of call: Call) {
      for finding in findings {
        if finding.outcome == .fail { hasFailed = true }
        let (message, hint) = call.withOwnHints {
          (CommandHints.complete(finding.message), finding.hint.map { CommandHints.complete($0) })
        }
        guard format == .json else {
          print(finding, call.label, message, hint)
          continue
        }
        checks.append(
          call.labelled([
            "check": finding.check, "outcome": finding.outcome.rawValue, "message": message, "hint": hint,
          ]))
      }
    }
    show(Doctor.findings(environment), of: call)
    for member in try call.memberCalls(takesRemotes: true) ?? [call] {
      show(Doctor.findings(of: place(member)), of: member)
    }
    if format == .json { try JSONObject.document(["healthy": !hasFailed, "checks": checks]).print() }
    return hasFailed ? .negative : .success
  }

  private func place(_ call: Call) -> Doctor.Place {
    guard let copy = try? call.copy() else {
      return .store(Result { try call.storePath() }, Result { try call.indexDirectory() })
    }
    return switch copy {
    case .directory(let replica): .replica(replica)
    case .remote(let remote): .remote(remote)
    }
  }

  private func print(_ finding: Doctor.Finding, _ label: String, _ message: String, _ hint: String?) {
    let lead = DisplayWidth.padded(finding.outcome.rawValue, to: 6)
    Console.write(line: lead + "\(label)\(finding.check): \(message)".printable)
    if let hint { Console.write(line: "      hint: \(hint.printable)") }
  }
}
