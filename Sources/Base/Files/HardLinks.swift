// SPDX-License-Identifier: MIT

/// A store whose file has several names (hard links). SQLite names the `-wal` after the path by which the file was
/// opened. So programs that use different names do not see each other's saves, and overwrite them.
package enum HardLinks {
  /// A warning about the store at `path`; nil if its file has one name.
  package static func warning(of path: String) -> String? {
    guard let file = FileIdentity(path: path), file.otherKind == nil, file.linkCount > 1 else { return nil }
    return "\(path) has \(file.linkCount) names (hard links): programs that use different names lose each other's saves"
  }
}
