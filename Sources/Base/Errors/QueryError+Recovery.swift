// SPDX-License-Identifier: MIT

extension QueryError {
  /// What makes the query valid. The code that shows the error to a person phrases it.
  package enum Recovery: Hashable, Sendable {
    /// Names that are close to the unknown one, the closest first.
    case nearestNames([String])
    /// All existing names.
    case knownNames([String])
    /// The definition lists the names of fields.
    case listFields
    /// The attribute exists, but no field of the index holds it.
    case indexAttribute
    /// A replica has no history.
    case askWriter
    /// Triggers of an ordinary database keep a history. For deleted rows, it has to preserve these columns.
    case attachDatabase(preserving: [String])
    /// Examples of valid conditions, and the unit of the field.
    case examples([String], Scale? = nil)
    case scale(Scale)
    /// Conditions on numbers of transactions, which the history lists.
    case transactions([String])
    /// Conditions that fewer records match.
    case narrow([String])
    /// The field holds text.
    case searchWords(field: String)
    /// Minimum number of letters before `*`.
    case lengthenPrefix(to: Int)
    case searchFewer(Part)
    case simplify
    case searchEverything
    case add(String)
    case remove(String)
    /// A word that is also an operator.
    case quoteOperator(String)
    /// A word that is also a pattern.
    case quote(String)
    /// The condition without the blanks that make it ambiguous.
    case writeCondition(String)
    case joinValue(field: String)
    case separateAssignment
  }

  /// A part of queries whose number is limited.
  package enum Part: Sendable {
    case words, terms, phrases, ranges
  }

  /// The unit of a field of numbers.
  package enum Scale: Hashable, Sendable {
    case counts(FieldUnit, field: String)
    /// The definition does not name a unit. The value is one that it could name.
    case undeclared(FieldUnit, field: String)
  }
}
