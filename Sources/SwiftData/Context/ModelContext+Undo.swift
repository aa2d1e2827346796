// SPDX-License-Identifier: MIT

extension ModelContext {
  /// A property is about to change from `slot`.
  func registerUndo(of state: _ModelState, _ index: Int, _ slot: Slot) {
    undoManager?.registerUndo(withTarget: self) { _ in
      guard let model = state.model else { return }
      state.announce(index) {
        state.willChange(index, of: model)
        state.forgetInverse(of: index)
        state.slots[index] = slot
        state.forgetInverse(of: index)
      }
    }
  }

  func registerUndo(ofInsert state: _ModelState) {
    let model = state.object
    undoManager?.registerUndo(withTarget: self) { $0.remove(model) }
  }

  func registerUndo(ofDelete state: _ModelState) {
    let model = state.object
    undoManager?.registerUndo(withTarget: self) { context in
      context.adopt(model)
      context.undoManager?.registerUndo(withTarget: context) { $0.remove(model) }
    }
  }
}
