// SPDX-License-Identifier: MIT

/// Objects by their identifiers, some at a time.
final class ObjectBatches<Model: PersistentModel> {
  private let identifiers: [PersistentIdentifier]
  private let size: Int
  private let context: ModelContext
  private var first = 0
  private var batch: [Model] = []

  init(_ identifiers: [PersistentIdentifier], size: Int, _ context: ModelContext) {
    self.identifiers = identifiers
    self.size = size
    self.context = context
  }

  var count: Int { identifiers.count }

  func object(_ index: Int) -> Model {
    if batch.isEmpty || !(first..<(first + batch.count)).contains(index) {
      release()
      first = index / size * size
      let wanted = identifiers[first..<min(first + size, identifiers.count)]
      batch = context.objects(Array(wanted)) as! [Model]
    }
    return batch[index - first]
  }

  /// Objects of a batch that refer to each other would keep each other alive.
  private func release() {
    for model in batch where !model.hasChanges { model.state.forgetRelated() }
    batch = []
  }

  deinit { release() }
}

extension _ModelState {
  /// Related objects are read again when they are asked for.
  func forgetRelated() {
    guard status == .saved, !hasChanges else { return }
    for index in slots.indices {
      switch slots[index] {
      case .one(let target?) where !target.persistentModelID.isTemporary: slots[index] = .row(target.persistentModelID)
      case .many where !models(at: index).contains { $0.persistentModelID.isTemporary }: slots[index] = .unread
      default: continue
      }
    }
  }
}
