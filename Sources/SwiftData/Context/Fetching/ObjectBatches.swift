// SPDX-License-Identifier: MIT

/// The objects of identifiers, read in batches.
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
    for state in batch.map(\.state) where state.status == .saved && !state.hasChanges {
      state.releaseRelated(keepsUnsaved: true)
    }
    batch = []
  }

  deinit { release() }
}
