// SPDX-License-Identifier: MIT

internal import Searching
internal import ShellInterface
internal import Values

extension NearestQuery {
  /// The hint: the number of records that the query finds, what it leaves out, and the command that finds them.
  var advice: String {
    var options = kinds.map { "--kind \($0.quotedForShell) " }.joined()
    switch words {
    case .widening: break
    case .all: options += "--all "
    case .any: options += "--any "
    }
    if isLiteral { options += "--literal " }
    if query.hasPrefix("-") { options += "-- " }
    let verb = count == 1 ? "matches" : "match"
    let rest = leavesOut.isEmpty ? "" : " without \(HumanText.alternatives(leavesOut.map(\.text), by: "and"))"
    return "\(HumanText.count(count, "record")) \(verb)\(rest): followspot search \(options)\(query.quotedForShell)"
  }
}

extension NearestQuery.Omission {
  /// As it was typed.
  var text: String {
    switch self {
    case .part(let text): text
    case .kind(let name): "--kind \(name)"
    case .literal: "--literal"
    }
  }
}
