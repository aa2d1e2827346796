// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

extension FaultPoint {
  struct NotCompiled: Error, CustomStringConvertible {
    let description: String
  }

  /// The path of the shared library that injects faults. It is compiled from `Preload` once per test process.
  static var library: String { get throws { try compiled.get() } }

  private static let compiled = Result { try compile() }

  /// The package manager would link a target that a test depends on statically, but LD_PRELOAD needs a shared object.
  private static func compile() throws -> String {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Preload").path
    let library = Shell.products + "/libfaultpoint.so"
    let draft = library + ".\(getpid())"
    let process = Process()
    process.executableURL = try clang()
    process.arguments =
      ["-shared", "-fPIC", "-Wall", "-Werror", "-o", draft]
      + ["faultpoint.c", "allocations.c", "clock.c"].map { sources + "/" + $0 }
    try process.run()
    process.waitUntilExit()
    // Another test process may be using the library: it keeps the file that it has open.
    guard process.terminationStatus == 0, rename(draft, library) == 0 else {
      throw NotCompiled(description: "clang did not compile \(sources)")
    }
    return library
  }

  /// The C compiler of the toolchain whose runtime this process uses.
  private static func clang() throws -> URL {
    let runtime = "/lib/swift/linux/libswiftCore.so"
    let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd() ?? Data()
    let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first { $0.hasSuffix(runtime) }
    guard let line, let slash = line.firstIndex(of: "/") else {
      throw NotCompiled(description: "the toolchain is not known: \(runtime) is not loaded")
    }
    return URL(fileURLWithPath: line[slash...].dropLast(runtime.count) + "/bin/clang")
  }
}
