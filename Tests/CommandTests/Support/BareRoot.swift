// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A root directory that holds the program and its libraries alone, without `/proc`, `/sys` and `/dev`. Root only.
struct BareRoot {
  static let program = "/bin/followspot"

  let directory = TemporaryDirectory()
  /// A shell whose programs run in the root.
  var shell: Shell

  init() throws {
    shell = Shell(in: directory, store: nil)
    try add(Shell.program, at: Self.program)
    shell.environment["FOLLOWSPOT_STORE"] = "/films.store"
    shell.wrapper = ["/usr/sbin/chroot", directory.path]
  }

  /// Adds a program of this machine and the libraries that it loads.
  func add(_ program: String, at path: String) throws {
    try link(program, at: path)
    let needed = try Shell(in: directory).run([program], program: "/usr/bin/ldd")
    for library in needed.output.matches(of: /\/[^ ]+/) where !has(String(library.output)) {
      try link(String(library.output), at: String(library.output))
    }
  }

  func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: directory.path + path) }

  /// A second name of a file; a copy if it lies on another file system.
  private func link(_ file: String, at path: String) throws {
    let source = URL(fileURLWithPath: file).resolvingSymlinksInPath()
    let target = URL(fileURLWithPath: directory.path + path)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    do { try FileManager.default.linkItem(at: source, to: target) } catch {
      try FileManager.default.copyItem(at: source, to: target)
    }
  }

  @discardableResult
  func run(_ arguments: String...) throws -> Shell.Outcome { try shell.run(arguments, program: Self.program) }
}
