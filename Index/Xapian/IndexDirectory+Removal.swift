// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

extension IndexDirectory {
  /// Whether there is something at the path.
  package var exists: Bool { access(path, F_OK) == 0 }

  /// Removes the index, and the directory if nothing else is in it. Only whoever holds its locks calls this.
  package func remove() {
    // Without the stub there is no index, also after a crash on the way.
    unlink(path + "/XAPIANDB")
    for number in generations() { removeGeneration(number) }
    Self.removeFlat(path + "/" + Self.servedName)
    for name in Self.list(path) ?? [] {
      let entry = path + "/" + name
      if ScratchDirectory.isOne(name) { Self.removeFlat(entry) }
      if ["tailer.lock", "rebuild.lock", "XAPIANDB.new"].contains(name) || name.hasPrefix("saved") { unlink(entry) }
    }
    rmdir(path)
  }
}
