// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Access rights of the files beside a store: they equal the rights of the store.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct RightsTests {
  /// Access bits, owner and group of a file.
  private struct Rights: Equatable, CustomStringConvertible {
    let mode: mode_t
    let owner: uid_t
    let group: gid_t
    let isDirectory: Bool

    init(_ path: String) throws {
      var status = stat()
      try #require(lstat(path, &status) == 0, "\(path)")
      mode = status.st_mode & 0o777
      (owner, group) = (status.st_uid, status.st_gid)
      isDirectory = status.st_mode & S_IFMT == S_IFDIR
    }

    /// The rights of a directory that match a file with these rights.
    var ofDirectory: mode_t { mode | (mode & 0o444) >> 2 }
    var description: String { "\(String(mode, radix: 8)) \(owner):\(group)" }
  }

  /// All files beside the store that followspot created.
  private func files(_ bench: ShellFixture) throws -> [String] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: bench.directory.path)
    return files.filter { $0.contains(".index") || $0.contains(".consumers") || $0.contains("_SUPPORT") }
      .map(bench.directory.file)
  }

  private func expectRightsOfStore(_ bench: ShellFixture, _ what: String) throws {
    let store = try Rights(bench.store)
    let files = try files(bench)
    #expect(files.contains { $0.hasSuffix("/iamglass") } && files.contains { $0.hasSuffix(".index.json") })
    for file in files {
      let rights = try Rights(file)
      #expect(rights.mode == (rights.isDirectory ? store.ofDirectory : store.mode), "\(what): \(file) \(rights)")
      #expect((rights.owner, rights.group) == (store.owner, store.group), "\(what): \(file) \(rights)")
    }
  }

  private func shell(_ bench: ShellFixture, umask: String) -> ShellFixture {
    var bench = bench
    bench.shell.wrapper = ["/bin/sh", "-c", "umask \(umask); exec \"$0\" \"$@\""]
    return bench
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o660] as [mode_t], ["000", "022", "077"])
  func `index and consumers have the rights of the store, independent of the umask`(mode: mode_t, umask: String) throws
  {
    let bench = shell(try ShellFixture(isIndexed: false), umask: umask)
    chmod(bench.store, mode)
    #expect(try bench.shell.run("index").code == 0)
    try expectRightsOfStore(bench, "a first pass")
    try #require(try bench.importRecords(Films.lines, options: ["--again"]).code == 0)
    #expect(try bench.shell.run("index").code == 0)
    try expectRightsOfStore(bench, "a second pass")
    #expect(try bench.shell.run("rebuild").code == 0)
    #expect(try bench.shell.run("history", "consumers", "add", "backup").code == 0)
    try expectRightsOfStore(bench, "a rebuild and a consumer")
  }

  @Test func `the next pass restricts or extends the rights of an index to those of its store`() throws {
    let bench = try ShellFixture()
    for file in try files(bench) { chmod(file, try Rights(file).isDirectory ? 0o755 : 0o644) }
    chmod(bench.store, 0o600)
    #expect(try bench.shell.run("index").code == 0)
    try expectRightsOfStore(bench, "closed")
    chmod(bench.store, 0o644)
    #expect(try bench.shell.run("index").code == 0)
    try expectRightsOfStore(bench, "opened")
  }

  @Test func `an idle follower adopts a change of the store's rights`() throws {
    let bench = try ShellFixture()
    let follower = try bench.follow()
    chmod(bench.store, 0o600)
    #expect(eventually(within: 60) { (try? Rights(bench.index))?.mode == 0o700 })
    try #require(try bench.importRecords(Films.lines, options: ["--again"]).code == 0)
    #expect(try bench.shell.run("wait").code == 0)
    bench.stop(follower)
    for file in try files(bench) where file.hasPrefix(bench.index) {
      let rights = try Rights(file)
      #expect(rights.mode == (rights.isDirectory ? 0o700 : 0o600), "\(file) \(rights)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "owners are not tried: only root may change them"))
  func `root leaves the index of another user's store to that user`() throws {
    let bench = try ShellFixture(isIndexed: false)
    chmod(bench.directory.path, 0o755)
    chmod(bench.store, 0o600)
    for suffix in ["", "-wal", "-shm"] { chown(bench.store + suffix, 65_534, 65_534) }
    let root = shell(bench, umask: "077")
    #expect(try root.shell.run("index").code == 0)
    try expectRightsOfStore(bench, "a first pass")
    try #require(try bench.importRecords(Films.lines, options: ["--again"]).code == 0)
    #expect(try root.shell.run("index").code == 0)
    try expectRightsOfStore(bench, "a second pass")
    var nobody = bench
    nobody.shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    try nobody.shell.succeed("verify")
    var stranger = bench
    stranger.shell.wrapper = ["/usr/bin/setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
    let refused = try stranger.shell.run("search", "--index-only", "toy")
    #expect(refused.code == 2 && refused.output.isEmpty, "\(refused)")
  }

  @Test(.enabled(if: geteuid() == 0, "owners are not tried: only root may change them"))
  func `the index is not writable by the user's own group if the store's group is another one`() throws {
    let bench = try ShellFixture(isIndexed: false)
    // The indexing user is not a member of the store's group, but everybody can read the store.
    chown(bench.store, 65_533, 65_533)
    chmod(bench.store, 0o664)
    chmod(bench.directory.path, 0o777)
    for suffix in ["-wal", "-shm"] { chmod(bench.store + suffix, 0o666) }
    var other = bench
    other.shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    other.shell.environment["FOLLOWSPOT_INDEX"] = bench.directory.file("own.index")
    try other.shell.succeed("index")
    #expect(try Rights(bench.directory.file("own.index")).mode == 0o755)
  }
}
