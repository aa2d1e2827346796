// SPDX-License-Identifier: MIT

internal import SearchIndex

extension SearchView {
  /// Conditions for the records of the kinds that a word names.
  func kindQueries(of text: String) -> [Query] {
    searched.kindWords.entities(named: folded(text)).map { .term(DocumentLayout.entityTerm($0)) }
  }

  /// Conditions for the records of the kinds that a word names less clearly, such as by the name of an attribute.
  func hintQueries(of text: String) -> [Query] {
    searched.kindWords.entities(hintedAtBy: folded(text)).map { .term(DocumentLayout.entityTerm($0)) }
  }

  /// Conditions for the records of a year such as `1965`, one for each field of dates or of years; empty for other text.
  func yearQueries(of text: String) -> [(field: FieldTable.Field, query: Query)] {
    guard text.utf8.count == 4, let year = Int64(text), DocumentLayout.years.contains(year),
      let period = DatePeriod(text)
    else { return [] }
    return fields.names.compactMap { fields[$0] }.compactMap { field in
      let number = Query.term(DocumentLayout.yearTerm(field.fieldPrefix, Int(year)))
      guard field.roles.contains(.date) else { return field.hasYears ? (field, number) : nil }
      let date = period.query(fieldPrefix: field.fieldPrefix, slot: field.slot)
      return (field, field.hasYears ? .or([date, number]) : date)
    }
  }
}
