// SPDX-License-Identifier: MIT

internal import CSupport

#if canImport(Glibc)
  internal import Glibc
#endif

/// The permissions of an index: those of its store, whatever the umask of the process is.
///
/// The index directory gets the owner and the permissions of the store's file while it is empty. Everything inside gets
/// them from the directory. Xapian creates files with the umask, and the umask cannot be changed in an embedding program,
/// because all threads share it. So permissions are set after each commit. Until then the directory protects the files.
extension IndexDirectory {
  /// Copies changed permissions of the store's file to the index, including indexes of earlier versions.
  ///
  /// - Parameter always: Checks every file, even if the directory has these permissions already.
  func takeRights(of storePath: String, always: Bool = false) {
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

  /// Gives an open file the permissions of the index directory.
  package func giveRights(to descriptor: Int32) {
    var rights = cs_rights()
    if cs_rights_of(path, &rights) == 0 { cs_give_rights(descriptor, rights) }
  }

  /// Gives a generation and its files the permissions of the index directory.
  static func settleRights(ofGeneration path: String) {
    var rights = cs_rights()
    guard cs_rights_of(parent(of: path), &rights) == 0 else { return }
    withDirectory(path, flags: O_NOFOLLOW) { directory in
      cs_give_rights(directory, rights)
      for name in list(path) ?? [] { cs_give_rights_at(directory, name, rights) }
    }
  }

  /// Creates the file that Xapian's next commit writes and renames to the version file. So it has the right owner before
  /// any reader can see it. If it is missing, the commit creates it.
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
