// SPDX-License-Identifier: MIT

extension ModelContext {
  /// Saves once the main thread has nothing else to do. An error leaves the changes for the next save, and is told on
  /// standard error.
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

  /// Only the main thread, which the context belongs to, looks inside.
  private final class Weak: @unchecked Sendable {
    weak var context: ModelContext?
    init(_ context: ModelContext) { self.context = context }
  }
}
