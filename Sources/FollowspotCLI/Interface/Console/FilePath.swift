// SPDX-License-Identifier: MIT

internal import CSupport
internal import FoundationEssentials
internal import Glibc

/// Paths of directories and programs.
enum FilePath {
  /// The parent directory of a path.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path of a program that is named in a command; nil if it is not installed.
  static func program(_ name: String) -> String? {
    func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
    if name.contains("/") { return isExecutable(name) ? name : nil }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first(where: isExecutable)
  }

  /// The path of the running program without symbolic links; nil if the system does not say it.
  static var own: String? {
    guard let executed = cs_executable(), let path = realpath(executed, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
