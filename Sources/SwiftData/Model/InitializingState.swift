// SPDX-License-Identifier: MIT

internal import CSupport

/// The state of the object that this thread is initialising over existing values.
///
/// Swift runs the initial values of all properties first. The backing that receives them has the state already, and
/// ignores them.
enum InitializingState {
  /// Runs `body`, which initialises an object over `state`.
  static func run<Result>(_ state: _ModelState, _ body: () -> Result) -> Result {
    let outer = cs_thread_mark()
    cs_set_thread_mark(Unmanaged.passUnretained(state).toOpaque())
    defer { cs_set_thread_mark(outer) }
    return body()
  }

  /// The state, if the backing that is made now belongs to the object: that of its class, or of a class above it. The
  /// initial value of a property may make other objects meanwhile.
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
