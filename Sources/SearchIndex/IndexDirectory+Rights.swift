internal import CSupport

#if canImport(Glibc)
  internal import Glibc
#endif

/// Who may use an index: those who may use its store, whatever the umask of the process is.
///
/// The index directory takes the owner and the rights of the store's file before anything is in it, so that nobody
/// else gets past it, and everything inside takes them from the directory. Xapian creates files by the umask. An
/// embedding program would notice another umask, because all its threads share it: so the files are settled after each
/// commit. Until then the directory keeps out who may not read them.
extension IndexDirectory {
  /// Follows a change of the rights of the store's file, also in an index of an earlier version.
  ///
  /// - Parameter always: Looks at every file, also where the directory has these rights already.
  package func takeRights(of storePath: String, always: Bool = false) {
    var rights = cs_rights()
    guard cs_rights_of(storePath, &rights) == 0 else { return }
    var own = cs_rights()
    guard always || cs_rights_of(path, &own) != 0 || !Self.areEqual(own, rights) else { return }
    Self.withDirectory(path) { directory in
      cs_give_rights(directory, rights)
      guard cs_rights_of(path, &own) == 0 else { return }
      for name in Self.list(path) ?? [] where !ScratchDirectory.isOne(name) {
        cs_give_rights_at(directory, name, own)
      }
    }
    for number in generations() { Self.settleRights(ofGeneration: path(ofGeneration: number)) }
  }

  /// Gives an open file of the directory the directory's rights.
  package func giveRights(to descriptor: Int32) {
    var rights = cs_rights()
    if cs_rights_of(path, &rights) == 0 { cs_give_rights(descriptor, rights) }
  }

  /// Gives a generation and its files the rights of the index directory.
  static func settleRights(ofGeneration path: String) {
    var rights = cs_rights()
    guard cs_rights_of(parent(of: path), &rights) == 0 else { return }
    withDirectory(path, flags: O_NOFOLLOW) { directory in
      cs_give_rights(directory, rights)
      for name in list(path) ?? [] { cs_give_rights_at(directory, name, rights) }
    }
  }

  /// Makes the file that Xapian's next commit writes and renames to the version file: it has the right owner before
  /// any reader can meet it. A commit makes the file itself where it is not there.
  static func prepareVersionFile(ofGeneration path: String) {
    var rights = cs_rights()
    guard cs_rights_of(parent(of: path), &rights) == 0 else { return }
    let descriptor = open(path + "/v.tmp", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    cs_give_rights(descriptor, rights)
    close(descriptor)
  }

  private static func areEqual(_ one: cs_rights, _ other: cs_rights) -> Bool {
    // Only root can give a file to another owner.
    (one.mode, one.group) == (other.mode, other.group) && (geteuid() != 0 || one.owner == other.owner)
  }

  private static func withDirectory(_ path: String, flags: Int32 = 0, _ body: (Int32) -> Void) {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
    guard directory >= 0 else { return }
    defer { close(directory) }
    body(directory)
  }
}
