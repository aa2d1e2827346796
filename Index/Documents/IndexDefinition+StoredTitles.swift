// SPDX-License-Identifier: MIT

extension IndexDefinition {
  /// The definition with the role `stored` for those fields that name records and have no slot, so that a replica without
  /// the store can show all titles.
  package func storingTitles(in model: ModelShape) -> IndexDefinition {
    let table = FieldTable(definition: self, model: model)
    var storing = self
    for (name, entity) in entities {
      let titles = Set(entity.title + entity.titledBy)
      for (index, field) in entity.fields.enumerated() where titles.contains(field.name) {
        guard table[field.name]?.slotContent == nil else { continue }
        storing.entities[name]?.fields[index].roles.insert(.stored)
      }
    }
    return storing
  }
}
