// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import ShellInterface

struct DoctorCommand: Verb {
  static let description = CommandDescription(
    name: "doctor", summary: "check the setup: store, index, follower, disk, terminal",
    details: """
      Print one line per check: ok, warn or fail, with a hint if something can be done. Nothing is changed. The exit code
      is 1 if a check fails.
      """,
    examples: ["followspot --store movies.store doctor", "followspot doctor --format json"])

  @Option("--format", "FORMAT") var format: DocumentFormat?

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    let doctor = Doctor(
      store: Result { try call.storePath() }, directory: Result { try call.indexDirectory() },
      environment: ProcessInfo.processInfo.environment)
    let findings = doctor.examine()
    let hasFailed = findings.contains { $0.outcome == .fail }
    if format == .json {
      let checks = findings.map {
        [
          "check": $0.check, "outcome": $0.outcome.rawValue, "message": $0.message,
          "hint": $0.hint.map { CommandHints.complete($0) },
        ] as JSONObject
      }
      try JSONObject.document(["healthy": !hasFailed, "checks": checks]).print()
    } else {
      for finding in findings { print(finding) }
    }
    return hasFailed ? .negative : .success
  }

  private func print(_ finding: Doctor.Finding) {
    let lead = DisplayWidth.padded(finding.outcome.rawValue, to: 6)
    Console.write(line: lead + "\(finding.check): \(CommandHints.complete(finding.message))".printable)
    if let hint = finding.hint { Console.write(line: "      hint: \(CommandHints.complete(hint).printable)") }
  }
}
