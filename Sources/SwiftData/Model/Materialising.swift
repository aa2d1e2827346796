internal import CSupport

/// Which class an object is just being made of over values that exist already, on this thread.
///
/// Swift runs the initial values of all properties first; the backing that takes them is told to pass them over.
enum Materialising {
  /// Runs `body`, which makes an object of the class.
  static func run<Result>(_ type: ModelType, _ body: () -> Result) -> Result {
    let outer = cs_thread_mark()
    cs_set_thread_mark(Unmanaged.passUnretained(type).toOpaque())
    defer { cs_set_thread_mark(outer) }
    return body()
  }

  /// Whether a backing that is made now is that of the object in the making; of a subclass's object, its next level.
  static func takes<Model: PersistentModel>(_ model: Model.Type) -> Bool {
    guard let mark = cs_thread_mark() else { return false }
    let expected = Unmanaged<ModelType>.fromOpaque(mark).takeUnretainedValue()
    guard expected.modelType == model else { return false }
    cs_set_thread_mark(expected.superclass.map { Unmanaged.passUnretained($0).toOpaque() })
    return true
  }
}
