// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import ShellInterface

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json }

  static let doctor = CommandDescription(
    name: "doctor", arguments: "", summary: "check the setup: store, index, follower, disk, terminal",
    details: """
      Print one line per check: ok, warn or fail, with a hint if something can be done. Nothing is changed. The exit code
      is 1 if a check fails.
      """,
    examples: ["followspot --store movies.store doctor", "followspot doctor --format json"],
    options: [OptionDescription("--format", "FORMAT", Format.self)]
  ) { call in
    try call.noPositionals()
    let format = try call.choice("--format", Format.self) ?? .text
    let doctor = Doctor(
      store: Result { try call.storePath() }, directory: Result { try call.indexDirectory() },
      environment: ProcessInfo.processInfo.environment)
    let findings = doctor.examine()
    let hasFailed = findings.contains { $0.outcome == .fail }
    switch format {
    case .text: print(findings)
    case .json:
      let checks = findings.map {
        FindingsDocument.Check(
          check: $0.check, outcome: $0.outcome.rawValue, message: $0.message, hint: $0.hint.map(CommandHints.complete))
      }
      try Console.write(json: FindingsDocument(healthy: !hasFailed, checks: checks))
    }
    return hasFailed ? .negative : .success
  }

  private static func print(_ findings: [Doctor.Finding]) {
    for finding in findings {
      let lead = finding.outcome.rawValue
      Console.write(lead + String(repeating: " ", count: 6 - lead.count))
      Console.write("\(finding.check): \(CommandHints.complete(finding.message))".printable + "\n")
      if let hint = finding.hint { Console.write("      hint: \(CommandHints.complete(hint).printable)\n") }
    }
  }
}
