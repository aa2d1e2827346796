/// A store whose file has several names. SQLite names the `-wal` after the path by which the file was opened, so that
/// programs that come by different names do not see each other's saves, and overwrite them.
package enum HardLinks {
  /// What is wrong with the store at `path`, and what to do; nil where its file has one name.
  package static func warning(of path: String) -> (message: String, hint: String)? {
    guard let file = FileIdentity(path: path), file.otherKind == nil, file.names > 1 else { return nil }
    return (
      "\(path) has \(file.names) names (hard links): programs that use different names lose each other's saves",
      "remove all names but one; find DIRECTORY -samefile STORE lists them"
    )
  }
}
