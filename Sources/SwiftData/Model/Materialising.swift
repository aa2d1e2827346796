// SPDX-License-Identifier: MIT

internal import CSupport

/// The state over which an object is just being made, on this thread.
///
/// Swift runs the initial values of all properties first; the backing that takes them has the state already, and passes
/// them over.
enum Materialising {
  /// Runs `body`, which makes an object over `state`.
  static func run<Result>(_ state: _ModelState, _ body: () -> Result) -> Result {
    let outer = cs_thread_mark()
    cs_set_thread_mark(Unmanaged.passUnretained(state).toOpaque())
    defer { cs_set_thread_mark(outer) }
    return body()
  }

  /// The state of the object in the making, where the backing that is made now is the object's own: the one of its
  /// class, or of a class above it. What is made meanwhile for an initial value of a property is another's.
  static func take<Model: PersistentModel>(_ model: Model.Type) -> _ModelState? {
    guard let mark = cs_thread_mark() else { return nil }
    let state = Unmanaged<_ModelState>.fromOpaque(mark).takeUnretainedValue()
    let expected = state.level ?? state.type
    guard expected.modelType == model else { return nil }
    if let next = expected.superclass {
      state.level = next
    } else {
      state.level = nil
      cs_set_thread_mark(nil)
    }
    return state
  }
}
