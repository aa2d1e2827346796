// SPDX-License-Identifier: MIT

internal import Store

/// Choosing the definition of the new generation.
extension Rebuild {
  /// The given definition, or that of the index. A definition that does not fit the model any more is chosen again.
  func chooseDefinition(known: IndexState?, store: PersistentStore) throws -> IndexState {
    var state = try chosen(known: known, store: store)
    state.definition = try state.definition.keepingOwnColumns(beside: Database.of(store)?.readings)
    state.readings = Database.of(store)?.readings
    try state.describe(store)
    return state
  }

  private func chosen(known: IndexState?, store: PersistentStore) throws -> IndexState {
    func given(_ definition: IndexDefinition, isMeasured: Bool) throws -> IndexState {
      IndexState(
        definition: isMeasured ? definition : try definition.measured(in: store), isStandardDefinition: false,
        builtFrom: origin)
    }
    let model = store.layout.shape
    if let definition {
      try definition.validateColumns(in: store)
      try definition.validate(against: model)
      return try given(definition, isMeasured: isComplete)
    }
    if let known {
      let isOfThisFormat = known.format == DocumentLayout.format
      if known.isStandardDefinition {
        if isOfThisFormat, known.definition.isInferred(from: model) {
          // An earlier version may have inferred it.
          let definition = known.definition.storingTitles(in: model)
          var kept = IndexState(definition: definition, isStandardDefinition: true, builtFrom: origin)
          kept.inferredFrom = known.inferredFrom
          return kept
        }
      } else if let definition = known.definition.fitted(to: model, report: report) {
        return try given(definition, isMeasured: isOfThisFormat)
      }
    }
    return try .inferred(from: store, builtFrom: origin)
  }
}

extension IndexDefinition {
  /// Adapts a definition to a changed model. Renamed attributes are followed. Fields whose attributes were removed are
  /// reported and stay empty. nil if the model has none of its entities.
  func fitted(to model: ModelShape, report: (String) -> Void) -> IndexDefinition? {
    do {
      try validate(against: model)
      return self
    } catch {
      let renamed = following(model)
      guard (try? renamed.validate(against: model)) == nil else { return renamed }
      let isOfUse = renamed.entities.keys.contains { model[$0] != nil }
      report(
        "the index definition does not fit the store's model any more (\(error)); "
          + (isOfUse ? "fields without an attribute stay empty" : "the default definition is used instead"))
      return isOfUse ? renamed : nil
    }
  }
}
