// SPDX-License-Identifier: MIT

package import Store

extension IndexDefinition {
  /// Maximum number of records of an entity whose lengths are measured.
  private static let sample = 2_000

  /// Infers a definition from the model and the values of a store.
  package static func inferred(from store: PersistentStore) throws -> IndexDefinition {
    let (model, values) = (store.layout.shape, try ModelValues(of: store))
    let definition = standard(for: model, values: values)
    let copies = try RepeatedTexts.entities(in: store, definition)
    let chosen = copies.isEmpty ? definition : standard(for: model, values: values, copies: copies)
    return try chosen.storingTitles(in: model).measured(in: store)
  }

  /// The definition with the typical length of each text field that has none yet and enough records.
  func measured(in store: PersistentStore) throws -> IndexDefinition {
    var measured = self
    let mapper = try DocumentMapper(definition: self, layout: store.layout)
    for plan in mapper.plans {
      let name = plan.entity.entity.name
      guard entities[name]?.fields.contains(where: { $0.roles.contains(.text) && $0.length == nil }) == true else {
        continue
      }
      let lengths = try Self.lengths(plan, mapper, store)
      for index in measured.entities[name]?.fields.indices ?? 0..<0 {
        // Names get no typical length: a name is an equally good match if the record has many others.
        guard let field = measured.entities[name]?.fields[index], field.roles.contains(.text), field.length == nil,
          field.holds != .names, let length = lengths[field.name]
        else { continue }
        measured.entities[name]?.fields[index].length = length
      }
    }
    return measured
  }

  /// The mean number of words of each field, over the records that have any, rounded to one decimal.
  private static func lengths(
    _ plan: DocumentPlan, _ mapper: DocumentMapper, _ store: PersistentStore
  ) throws -> [String: Double] {
    var words = [Int](repeating: 0, count: plan.lengths.count)
    var records = words
    try store.eachRow(
      of: plan.entity, attributes: plan.attributes, sample: sample, total: try store.count(of: plan.entity)
    ) { row in
      let document = try mapper.map(row, plan, from: store).document
      for (field, length) in document.lengths.enumerated() where length > 0 {
        words[field] += length
        records[field] += 1
      }
    }
    return Dictionary(
      (plan.outputs + plan.related.flatMap(\.outputs)).compactMap { output in
        guard records[output.number] >= FieldProfile.fewestRecords else { return nil }
        let mean = Double(words[output.number]) / Double(records[output.number])
        return (output.name, max(1, (mean * 10).rounded() / 10))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The definition with its missing lengths taken from another one.
  func takingLengths(from other: IndexDefinition) -> IndexDefinition {
    var filled = self
    for (name, entity) in entities {
      for (index, field) in entity.fields.enumerated() where field.length == nil && field.roles.contains(.text) {
        let known = other.entities[name]?.fields.first { $0.name == field.name && $0.path == field.path }
        filled.entities[name]?.fields[index].length = known?.length
      }
    }
    return filled
  }
}
