// SPDX-License-Identifier: MIT

internal import SQLite

/// A predicate as SQL.
struct CompiledPredicate {
  /// A condition over the root's alias and those of `joins`. It is NULL for some rows that do not match.
  var condition: String
  /// What follows the root's table in FROM; empty for nothing. No join adds or removes rows.
  var joins: String
  /// The same joins where the condition compares values of related rows: inner joins for the rows that a match must
  /// have, so that SQLite can start at them. nil for none.
  var narrowingJoins: String?
  /// The values of `?1`, `?2` and so on.
  var bindings: [Value]
  /// The classes of which the predicate reads rows, beside the columns of the root's own row.
  var touched: Set<ObjectIdentifier>
  /// The classes of which the predicate reads keys in rows that refer to them.
  var referred: Set<ObjectIdentifier>
}

/// Turns predicates over one model class into SQL that selects the same rows as `Predicate.evaluate` does.
///
/// Three things are decided by what a column can do:
/// - Text is compared by its stored scalars. Swift compares it by those of its composed form: the two agree on all text
///   that is stored composed (form C). Equality with a captured text also finds its decomposed spelling (form D).
/// - A row for which `evaluate` throws or stops the program (a forced unwrap of nil, a failed `as!`, a division by zero)
///   does not match, unless the other side of an `||` does. Integer arithmetic that overflows goes on in floating point.
/// - Identifiers of unsaved objects name no row: no row equals them.
struct PredicateCompiler {
  let store: StoreBinding
  let root: EntityBinding
  let alias: String

  /// - Throws: `SwiftDataError.unsupportedPredicate` that says what has no SQL, and what to write instead.
  func compile<Model>(_ predicate: Predicate<Model>) throws -> CompiledPredicate {
    let compilation = PredicateCompilation(store)
    let row = JoinedRow(root, alias: alias)
    compilation.variables[predicate.variable.key] = .object(ObjectTerm(root, row))
    return try compilation.run(predicate.expression)
  }
}

/// Turns predicates over a type of fixed columns, which is not a model class, into SQL.
struct RecordPredicateCompiler {
  let record: RecordTerm

  /// - Throws: `SwiftDataError.unsupportedPredicate`, and what a column's conversion throws.
  func compile<Record>(_ predicate: Predicate<Record>) throws -> CompiledPredicate {
    let compilation = PredicateCompilation(nil)
    compilation.variables[predicate.variable.key] = .record(record)
    return try compilation.run(predicate.expression)
  }
}
