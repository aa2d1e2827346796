// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

extension QueryError.Recovery {
  var hint: String? {
    switch self {
    case .nearestNames(let names): Hint.nearest(names)
    case .knownNames(let names): Hint.known(names)
    case .listFields: "\(Hint.listFields); --literal treats the text as words"
    case .attachDatabase([]): "followspot attach records changes from now on"
    case .attachDatabase(let columns):
      "followspot attach --preserve \(columns.joined(separator: ",").quotedForShell) records changes from now on"
    case .indexAttribute: "the attribute exists but is not indexed: run followspot index, or add it to the definition"
    case .examples(let examples, let scale):
      examples.isEmpty ? nil : HumanText.alternatives(examples) + (scale.map { "; \($0.advice)" } ?? "")
    case .transactions(let examples): "\(HumanText.alternatives(examples)); followspot history lists them"
    case .narrow(let examples): "narrow it, as in \(HumanText.alternatives(examples))"
    case .separateAssignment: "write a condition as FIELD:VALUE, and a new value as FIELD=VALUE without blanks"
    // The rest names no verbs.
    default: advice
    }
  }
}

extension Preservation {
  var hint: String {
    let tables = tables.map { "--table \($0.quotedForShell) " }.joined()
    let columns = columns.joined(separator: ",").quotedForShell
    return "followspot attach \(tables)--preserve \(columns) keeps these values of rows that are deleted from now on"
  }
}

extension NearestQuery {
  /// The number of records that the query finds, what it leaves out, and the command that finds them.
  var hint: String {
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
