// SPDX-License-Identifier: MIT

internal import SQLite

extension PredicateExpressions.CollectionContainsCollection: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let (base, other) = (try compilation.term(base), try compilation.term(other))
    if Base.Output.self is any StringProtocol.Type { return .scalar(try compilation.contains(base, other)) }
    guard Base.Output.self == Data.self, Other.Output.self == Data.self else {
      throw PredicateCompilation.unsupported("only texts and data are looked through for a part of them in SQL")
    }
    let (whole, part) = (try compilation.scalar(base), try compilation.scalar(other))
    return .scalar(Scalar("(instr(\(whole.sql), \(part.sql)) > 0)", reads: whole.reads.union(part.reads)))
  }
}

extension PredicateExpressions.SequenceStartsWith: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type else {
      throw PredicateCompilation.unsupported("starts(with:) has SQL only for texts")
    }
    return .scalar(try compilation.starts(compilation.term(base), compilation.term(prefix)))
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let (text, other) = (
      try compilation.scalar(compilation.term(root)), try compilation.scalar(compilation.term(other))
    )
    return .scalar(Scalar("standard_contains(\(text.sql), \(other.sql))", reads: text.reads.union(other.reads)))
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.order(compilation.term(root), compilation.term(other), "case_insensitive_before"))
  }
}

extension PredicateExpressions.StringLocalizedCompare: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.order(compilation.term(root), compilation.term(other), "localized_before"))
  }
}

extension PredicateCompilation {
  /// Whether a text holds another, by characters: an accent that is stored apart belongs to its letter.
  func contains(_ text: Term, _ other: Term) throws -> Scalar {
    let (whole, part) = (try scalar(text), try scalar(other))
    let reads = whole.reads.union(part.reads)
    var sql = "text_contains(\(whole.sql), \(part.sql))"
    // SQLite's own search finds every match of such a text, and rejects most other rows sooner.
    if case .constant(let value) = other, case .text(let found) = try ConstantValue.column(value), Self.isPlain(found) {
      sql = "(instr(\(whole.sql), \(part.sql)) > 0 AND \(sql))"
    }
    return Scalar(sql, reads: reads)
  }

  func starts(_ text: Term, _ prefix: Term) throws -> Scalar {
    let (whole, part) = (try scalar(text), try scalar(prefix))
    let sql = "text_starts(\(whole.sql), \(part.sql))"
    var filter: String?
    // An index on the column then limits the search to a range.
    if case .constant(let value) = prefix, case .text(let found) = try ConstantValue.column(value) {
      let plain = String(ConstantValue.composed(found).unicodeScalars.prefix { Self.isPlain($0) && $0.value < 0x7f })
      if let last = plain.unicodeScalars.last, let next = Unicode.Scalar(last.value + 1) {
        let end = String(plain.dropLast()) + String(Character(next))
        filter = "(\(whole.sql) >= \(bind(.text(plain))) AND \(whole.sql) < \(bind(.text(end))) AND \(sql))"
      }
    }
    return Scalar(sql, reads: whole.reads.union(part.reads), filter: filter)
  }

  /// `ComparisonResult` by its raw value.
  ///
  /// - Parameter before: The function that says whether a text comes before another.
  fileprivate func order(_ text: Term, _ other: Term, _ before: String) throws -> Scalar {
    let (a, b) = (try scalar(text), try scalar(other))
    return Scalar(
      "(\(before)(\(b.sql), \(a.sql)) - \(before)(\(a.sql), \(b.sql)))", ComparisonResult.self,
      reads: a.reads.union(b.reads))
  }

  private static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

  /// ASCII that no other character is canonically equivalent to. Source: the Unicode Character Database, singleton
  /// decompositions: U+037E is a semicolon, U+1FEF a grave accent, U+212A a K.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && scalar != ";" && scalar != "`" && scalar != "K" && scalar != "\r" && scalar != "\n"
  }
}
