// SPDX-License-Identifier: MIT

extension ModelContext {
  /// Saves once the main thread has nothing else to do. After an error, which is written to standard error, the changes
  /// stay for the next save.
  func scheduleAutosave() {
    guard !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let reference = Weak(self)
    DispatchQueue.main.async {
      guard let context = reference.context else { return }
      context.isAutosaveScheduled = false
      guard context.autosaveEnabled else { return }
      do { try context.save() } catch {
        FileHandle.standardError.write(Data("SwiftData: autosave failed, the changes are kept: \(error)\n".utf8))
      }
    }
  }

  /// Only the main thread, to which the context belongs, uses the reference.
  private final class Weak: @unchecked Sendable {
    weak var context: ModelContext?
    init(_ context: ModelContext) { self.context = context }
  }
}
