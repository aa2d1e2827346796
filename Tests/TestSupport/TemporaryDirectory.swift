// SPDX-License-Identifier: MIT

internal import Foundation

/// A new directory for one test, removed at its end. If the test throws, it is kept and its path is printed.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// - Parameter inMemory: Uses a file system in memory, if there is one.
  package init(inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let isThere = inMemory && FileManager.default.fileExists(atPath: memory)
    let parent = isThere ? memory : FileManager.default.temporaryDirectory.path
    var template = Array((parent + "/followspot-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// An existing directory, which is not removed.
  package init(existing path: String) { self.path = path }

  package func file(_ name: String) -> String { path + "/" + name }

  package func write(_ text: String, to name: String) throws -> String {
    let path = file(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Runs `body` with a new directory.
  ///
  /// - Parameter isProbe: Whether `body` tries what this machine allows: the directory is removed even if it throws.
  package static func with<Result>(
    isProbe: Bool = false, _ body: (TemporaryDirectory) throws -> Result
  ) throws -> Result {
    let directory = try TemporaryDirectory()
    do {
      let result = try body(directory)
      directory.remove()
      return result
    } catch {
      if isProbe { directory.remove() } else { print("kept: \(directory.path)") }
      throw error
    }
  }
}
