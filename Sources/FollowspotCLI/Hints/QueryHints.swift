// SPDX-License-Identifier: MIT

internal import Base
internal import Search
internal import ShellInterface

extension QueryError.Recovery {
  var hint: String? {
    switch self {
    case .nearestNames(let names): Hint.nearest(names)
    case .knownNames(let names): Hint.known(names)
    case .listFields: "\(Hint.listFields); --literal treats the text as words"
    case .askWriter: "search on the machine that has the store"
    case .attachDatabase([]): "followspot attach records changes from now on"
    case .attachDatabase(let columns):
      "followspot attach --preserve \(columns.joined(separator: ",").quotedForShell) records changes from now on"
    case .indexAttribute: "the attribute exists but is not indexed: run followspot index, or add it to the definition"
    case .examples(let examples, let scale):
      examples.isEmpty ? nil : HumanText.alternatives(examples) + (scale.map { "; \($0.hint)" } ?? "")
    case .scale(let scale): scale.hint
    case .transactions(let examples): "\(HumanText.alternatives(examples)); followspot history lists them"
    case .narrow(let examples): "narrow it, as in \(HumanText.alternatives(examples))"
    case .searchWords(let field): "search its words with \(field):word"
    case .lengthenPrefix(let count): "give at least \(count) letters before *"
    case .searchFewer(let part): part.hint
    case .simplify: "write a simpler query"
    case .searchEverything: "* finds everything"
    case .add(let text): "add a \(text)"
    case .remove("()"): "remove them"
    case .remove(let text): "remove the \(text), or write \"...\" to search for it"
    case .quoteOperator(let word): "write \"\(word)\" to search for the word"
    case .quote(let word): "\"\(word)\" in quotation marks is a word"
    case .writeCondition(let text): "write the condition as \(text)"
    case .joinValue(let field): "write the condition as \(field):VALUE without blanks"
    case .separateAssignment: "write a condition as FIELD:VALUE, and a new value as FIELD=VALUE without blanks"
    }
  }
}

extension QueryError.Part {
  fileprivate var hint: String {
    switch self {
    case .words: "search for fewer words"
    case .terms: "search for fewer"
    case .phrases: "search for fewer phrases"
    case .ranges: "use fewer ranges, or ranges of whole months"
    }
  }
}

extension QueryError.Scale {
  var hint: String {
    switch self {
    case .counts(let unit, let field): "\(field) counts \(unit.rawValue)"
    case .undeclared(let unit, let field):
      "a definition can name the unit of \(field), such as \"unit\": \"\(unit.rawValue)\""
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
