// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// A new directory. In a suite with the trait `.temporaryDirectory`, the end of the test removes it; if the test throws,
/// it is kept and its path is printed. Elsewhere, the code that makes it removes it.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// - Parameter inMemory: Uses a file system in memory, if there is one.
  package init(inMemory: Bool = false) {
    let memory = "/dev/shm"
    let isThere = inMemory && FileManager.default.fileExists(atPath: memory)
    let parent = isThere ? memory : FileManager.default.temporaryDirectory.path
    var template = Array((parent + "/followspot-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      fatalError("cannot create a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Scope.current?.add(self)
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

  /// Runs `body` with a new directory, which is removed at its end.
  ///
  /// - Parameter isProbe: Whether `body` tries what this machine allows: the directory is removed even if it throws.
  package static func with<Result>(
    isProbe: Bool = false, _ body: (TemporaryDirectory) throws -> Result
  ) throws -> Result {
    let directory = Scope.$current.withValue(nil) { TemporaryDirectory() }
    do {
      let result = try body(directory)
      directory.remove()
      return result
    } catch {
      if isProbe { directory.remove() } else { print("kept: \(directory.path)") }
      throw error
    }
  }

  /// Runs `body`, whose directories the end of the process removes, so that several tests can share them.
  package static func shared<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Scope.$current.withValue(.ofProcess) { try body() }
  }

  /// The directories that a test or the process has made.
  final class Scope: Sendable {
    @TaskLocal static var current: Scope?
    static let ofProcess: Scope = {
      atexit { Scope.ofProcess.removeAll() }
      return Scope()
    }()
    private let directories = Mutex<[TemporaryDirectory]>([])

    fileprivate func add(_ directory: TemporaryDirectory) { directories.withLock { $0.append(directory) } }

    func removeAll() { for directory in directories.withLock({ $0 }) { directory.remove() } }

    func printPaths() {
      for directory in directories.withLock({ $0 }) where FileManager.default.fileExists(atPath: directory.path) {
        print("kept: \(directory.path)")
      }
    }
  }
}
