// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// The programs of Debian's package xapian-tools, which are found in `PATH`.
package enum XapianProgram: String {
  case replicationServer = "xapian-replicate-server"
  case replicationClient = "xapian-replicate"
  /// Answers queries of other machines.
  case searchServer = "xapian-tcpsrv"

  /// The path of the program.
  ///
  /// - Throws: `OperationError.usage` if it is not installed.
  package func path() throws -> String {
    guard let path = Self.find(rawValue) else {
      throw OperationError(.usage, "\(rawValue) is not installed", recovery: .installPrograms)
    }
    return path
  }

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// The words that start the program so that it ends when this process does, however that ends.
  static func bound(_ path: String, _ words: [String]) -> (path: String, words: [String]) {
    guard let setpriv = find("setpriv") else { return (path, [path] + words) }
    return (setpriv, ["setpriv", "--pdeathsig", "TERM", path] + words)
  }
}
