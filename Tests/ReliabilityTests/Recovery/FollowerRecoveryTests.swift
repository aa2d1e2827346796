import Followspot
import Foundation
import PersistentStore
import SQLite
import SearchIndex
import TestSupport
import Testing

/// A follower beside which something breaks and is mended again: it says so once, waits, and goes on by itself.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FollowerRecoveryTests {
  /// A follower, the store it follows, and what it had open before anything broke.
  private struct Scene {
    let bench: IndexedStore
    let shell: Shell
    let follower: Shell.Running
    let descriptors: [String]

    init(_ bench: IndexedStore, _ shell: Shell) throws {
      self.bench = bench
      self.shell = shell
      follower = try shell.start(["index", "--follow"])
      try #require(follower.waitForError("following "), "\(follower.errors)")
      // The first save makes it open what it keeps open.
      try bench.insert(1)
      try Self.expectCaughtUp(shell)
      descriptors = Self.openFiles(follower.pid)
    }

    static func openFiles(_ pid: Int32) -> [String] {
      let directory = "/proc/\(pid)/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + $0) }
        .map { $0.replacing(/:\[\d+\]/, with: "") }.sorted()
    }

    static func expectCaughtUp(_ shell: Shell, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let waited = try shell.run("wait", "--timeout", "60s")
      #expect(waited.code == 0, "\(waited)", sourceLocation: sourceLocation)
    }

    /// What the follower's state is, as `status` tells it.
    func state() throws -> (name: String, reason: String?) {
      let holder = try #require(FileLock.holder(.tailer, in: IndexDirectory(path: indexPath)))
      return (holder.state, holder.reason)
    }

    var indexPath: String { shell.environment["FOLLOWSPOT_INDEX"] ?? bench.index.path }

    /// After the trouble: the same process has gone on, said each thing once, and the index equals the store.
    func expectRecovered(
      saying sentence: String, isNewStore: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(follower.waitForError("followspot: going on\n"), "\(follower.errors)", sourceLocation: sourceLocation)
      if !isNewStore { try bench.insert(1) }
      try Self.expectCaughtUp(shell, sourceLocation: sourceLocation)
      let lines = follower.errors.split(separator: "\n")
      #expect(Set(lines).count == lines.count, "\(follower.errors)", sourceLocation: sourceLocation)
      #expect(
        lines.contains { $0.contains(sentence) && $0.hasSuffix("; trying again until it works") },
        "\(follower.errors)", sourceLocation: sourceLocation)
      #expect(follower.isRunning, sourceLocation: sourceLocation)
      let verified = try shell.run("verify")
      #expect(verified.code == 0, "\(verified)", sourceLocation: sourceLocation)
      let status = try shell.run("status", "--format", "json").output
      #expect(
        status.contains("\"follower\":{\"pid\":\(follower.pid),\"state\":\"following\",\"since\":\"2"), "\(status)",
        sourceLocation: sourceLocation)
      // SQLite may have kept one open for a while, beside the first build; none is left over from the trouble.
      let opened = Self.openFiles(follower.pid)
      #expect(opened.count <= descriptors.count, "\(opened)", sourceLocation: sourceLocation)
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0, sourceLocation: sourceLocation)
    }

    /// Waits until the follower tries again.
    func expectRetrying(sourceLocation: SourceLocation = #_sourceLocation) throws {
      let isSaid = follower.waitForError("trying again until it works")
      #expect(isSaid, "\(follower.errors)", sourceLocation: sourceLocation)
      let end = Date().addingTimeInterval(30)
      while try state().name != "retrying", Date() < end { usleep(5_000) }
      let (name, reason) = try state()
      #expect(name == "retrying", sourceLocation: sourceLocation)
      #expect(reason.map { follower.errors.contains($0) } == true, sourceLocation: sourceLocation)
      // A second and a third try: nothing more is said.
      usleep(1_000_000)
    }
  }

  private func skipping(_ reason: String) { print("not shown: \(reason)") }

  // MARK: The store goes away

  @Test func `a store that vanishes and returns is followed again`() throws {
    try TemporaryDirectory.with { directory in
      let scene = try Scene(IndexedStore(in: directory, seed: 1, films: 30), Shell(in: directory))
      let path = scene.bench.storePath
      #expect(rename(path, path + ".aside") == 0)
      try scene.expectRetrying()
      #expect(rename(path + ".aside", path) == 0)
      try scene.expectRecovered(saying: "no store at \(path)")
    }
  }

  @Test func `the whole directory of the store may go and return`() throws {
    try TemporaryDirectory.with { directory in
      let place = directory.file("place")
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      let path = place + "/films.store"
      let bench = try IndexedStore(in: directory, seed: 2, films: 30)
      try Connection(path: bench.storePath, access: .readWrite).execute("VACUUM INTO '\(path)'")
      bench.store = try PersistentStore.open(path, access: .readWrite)
      var shell = Shell(in: directory)
      shell.environment["FOLLOWSPOT_STORE"] = path
      shell.environment["FOLLOWSPOT_INDEX"] = bench.index.path
      let scene = try Scene(bench, shell)
      #expect(rename(place, place + ".aside") == 0)
      try scene.expectRetrying()
      #expect(rename(place + ".aside", place) == 0)
      try scene.expectRecovered(saying: "no store at \(path)")
    }
  }

  @Test func `another store in the place of one that vanished is compared and followed`() throws {
    try TemporaryDirectory.with { directory in
      let other = directory.file("other.store")
      try TemporaryDirectory.with { elsewhere in
        let second = try IndexedStore(in: elsewhere, seed: 4, films: 12)
        try Connection(path: second.storePath, access: .readWrite).execute("VACUUM INTO '\(other)'")
      }
      let scene = try Scene(IndexedStore(in: directory, seed: 3, films: 30), Shell(in: directory))
      let path = scene.bench.storePath
      for suffix in ["", "-wal", "-shm"] { _ = rename(path + suffix, path + ".aside" + suffix) }
      try scene.expectRetrying()
      #expect(rename(other, path) == 0)
      #expect(scene.follower.waitForError("healed: "), "\(scene.follower.errors)")
      try scene.expectRecovered(saying: "no store at \(path)", isNewStore: true)
      #expect(try scene.shell.run("count", "*").output == "12\n")
    }
  }

  // MARK: The index cannot be written

  @Test func `a full disk is waited out`() throws {
    try TemporaryDirectory.with { directory in
      let place = directory.file("small")
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      guard mount("tmpfs", place, "tmpfs", 0, "size=4m") == 0 else {
        return skipping("a full disk: mount failed: \(String(cString: strerror(errno)))")
      }
      defer { umount2(place, Int32(MNT_DETACH)) }
      var shell = Shell(in: directory)
      shell.environment["FOLLOWSPOT_INDEX"] = place + "/index"
      let scene = try Scene(IndexedStore(in: directory, seed: 5, films: 100), shell)
      let filler = place + "/filler"
      _ = FileManager.default.createFile(atPath: filler, contents: nil)
      let handle = try #require(FileHandle(forWritingAtPath: filler))
      while (try? handle.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
      try handle.close()
      try scene.bench.insert(400)
      try scene.expectRetrying()
      let found = try scene.shell.run("count", "*")
      #expect(found.output == "101\n", "\(found)")
      try FileManager.default.removeItem(atPath: filler)
      try scene.expectRecovered(saying: "no space left for \(place)/index/gen-0001")
    }
  }

  /// Runs the follower as a user who is not root. nil where that cannot be done here.
  private func asUser(_ number: Int, _ shell: Shell, _ directory: TemporaryDirectory) -> Shell? {
    var other = shell
    other.wrapper = ["/usr/bin/setpriv", "--reuid=\(number)", "--regid=\(number)", "--clear-groups"]
    guard getuid() == 0, (try? other.run("--version"))?.code == 0 else { return nil }
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? [] {
      chown(directory.file(name), uid_t(number), gid_t(number))
    }
    chown(directory.path, uid_t(number), gid_t(number))
    return other
  }

  @Test(arguments: ["index", "store"])
  func `lost permissions are waited out`(_ what: String) throws {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 6, films: 30)
      guard let shell = asUser(65_534, Shell(in: directory), directory) else {
        return skipping("lost permissions: no other user can run the program here")
      }
      let scene = try Scene(bench, shell)
      let serving = try #require(try bench.index.serving()?.path)
      // The directory's owner loses it: root, whose store this test writes, does not mind.
      let path = what == "index" ? serving : directory.path
      chown(path, 0, 0)
      chmod(path, 0o500)
      if what == "index" { try bench.insert(1) }
      try scene.expectRetrying()
      chmod(path, 0o755)
      chown(path, 65_534, 65_534)
      try scene.expectRecovered(saying: what == "index" ? "is not permitted" : bench.storePath)
    }
  }

  // MARK: The system is out of something

  @Test func `without change notices the follower looks by itself, and notices come back`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 7, films: 30)
      // A user of its own: what is used up here is missed nowhere else.
      let user = 64_111
      guard let shell = asUser(user, Shell(in: directory), directory) else {
        return skipping("exhausted notices: no other user can run the program here")
      }
      let bound = try String(contentsOfFile: "/proc/sys/fs/inotify/max_user_instances", encoding: .utf8)
      guard let instances = Int(bound.trimmingCharacters(in: .whitespacesAndNewlines)), instances <= 1_024 else {
        return skipping("exhausted notices: this system has too many of them: \(bound)")
      }
      // Each `tail -f` of a file holds one instance.
      let list = directory.file("tails")
      let tails = Process()
      tails.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
      tails.arguments = [
        "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/bin/bash", "-c",
        "for i in $(seq \(instances)); do tail -f '\(directory.file("films.store"))' > /dev/null 2>&1 & "
          + "echo $! >> '\(list)'; done; "
          + "wait",
      ]
      try tails.run()
      func endTails() {
        let started = ((try? String(contentsOfFile: list, encoding: .utf8)) ?? "").split(separator: "\n")
        for pid in started.compactMap({ Int32($0) }) { kill(pid, SIGKILL) }
        tails.waitUntilExit()
      }
      defer { if tails.isRunning { endTails() } }
      let end = Date().addingTimeInterval(30)
      // Until the last of them is at its work.
      while Self.instances(of: user) < instances, Date() < end { usleep(20_000) }
      #expect(Self.instances(of: user) >= instances)
      let follower = try shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "), "\(follower.errors)")
      #expect(follower.waitForError("the system gives no change notices"), "\(follower.errors)")
      for _ in 0..<3 {
        try bench.insert(1)
        try Scene.expectCaughtUp(shell)
      }
      #expect(!follower.errors.contains("are back"))
      endTails()
      #expect(follower.waitForError("change notices are back"), "\(follower.errors)")
      try bench.insert(1)
      try Scene.expectCaughtUp(shell)
      #expect(follower.errors.split(separator: "\n").count == 3, "\(follower.errors)")
      #expect(Scene.openFiles(follower.pid).filter { $0.contains("inotify") }.count == 1)
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
      #expect(try shell.run("verify").code == 0)
    }
  }

  /// How many change notice instances the processes of a user hold.
  private static func instances(of user: Int) -> Int {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { Int($0) != nil }.reduce(0) { sum, pid in
      var status = stat()
      guard stat("/proc/\(pid)", &status) == 0, status.st_uid == uid_t(user), let number = Int32(pid) else {
        return sum
      }
      return sum + Scene.openFiles(number).filter { $0.contains("inotify") }.count
    }
  }

  /// Calls that fail for a while. `strace` makes them fail in the running process.
  @Test(arguments: [
    ("pwrite64:error=EIO", "Input/output error"), ("fdatasync:error=EIO", "Input/output error"),
    ("pread64:error=EIO", "disk I/O error"),
  ])
  func `an error of input or output is waited out`(_ fault: String, _ sentence: String) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else {
      return skipping("\(fault): there is no strace")
    }
    try TemporaryDirectory.with { directory in
      let scene = try Scene(IndexedStore(in: directory, seed: 8, films: 30), Shell(in: directory))
      let call = fault.prefix { $0 != ":" }
      let strace = Process()
      strace.executableURL = URL(fileURLWithPath: "/usr/bin/strace")
      strace.arguments = [
        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(fault)", "-p",
        "\(scene.follower.pid)",
      ]
      strace.standardError = FileHandle(forWritingAtPath: "/dev/null")
      try strace.run()
      defer { if strace.isRunning { kill(strace.processIdentifier, SIGKILL) } }
      guard isTraced(scene.follower.pid) else {
        scene.follower.signal(SIGTERM)
        _ = scene.follower.wait()
        return skipping("\(fault): strace may not attach here")
      }
      try scene.bench.insert(5)
      try scene.expectRetrying()
      kill(strace.processIdentifier, SIGKILL)
      strace.waitUntilExit()
      try scene.expectRecovered(saying: sentence)
    }
  }

  private func isTraced(_ pid: Int32) -> Bool {
    let end = Date().addingTimeInterval(10)
    while Date() < end {
      let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
      if status.contains("TracerPid:"), !status.contains("TracerPid:\t0") { return true }
      usleep(10_000)
    }
    return false
  }

  // MARK: Signals

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP], [false, true])
  func `a follower that tries again stops at a signal`(signal: Int32, isLocked: Bool) throws {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 9, films: 10)
      // A copy is in rollback mode: a writer can lock readers out.
      let path = directory.file("copy.store")
      try Connection(path: bench.storePath, access: .readWrite).execute("VACUUM INTO '\(path)'")
      let shell = Shell(in: directory, store: "copy.store")
      let follower = try shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      let writer = try Connection(path: path, access: .readWrite)
      if isLocked {
        try writer.execute("BEGIN EXCLUSIVE")
      } else {
        #expect(rename(path, directory.file("aside")) == 0)
      }
      #expect(follower.waitForError("trying again until it works"), "\(follower.errors)")
      let begun = Date()
      follower.signal(signal)
      let ended = follower.wait()
      #expect(ended.code == 0, "\(ended)")
      #expect(Date().timeIntervalSince(begun) < 5)  // half a second for a lock; a slow machine is no fault
      #expect(FileLock.holder(.tailer, in: IndexDirectory(path: path + ".index")) == nil)
    }
  }

  @Test func `under nohup the end of the terminal is ignored`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 10, films: 10)
      var shell = Shell(in: directory)
      shell.wrapper = ["/usr/bin/nohup"]
      let follower = try shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      follower.signal(SIGHUP)
      try bench.insert(1)
      try Scene.expectCaughtUp(Shell(in: directory))
      #expect(follower.isRunning)
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
    }
  }

  @Test func `a follower whose standard error nobody reads goes on`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 11, films: 10)
      var shell = Shell(in: directory)
      shell.wrapper = ["/bin/bash", "-c", #"exec "$0" "$@" 2> >(exec true)"#]
      let follower = try shell.start(["index", "--follow"])
      let reader = Shell(in: directory)
      try Scene.expectCaughtUp(reader)
      // What it says now meets a pipe without a reader.
      #expect(rename(bench.storePath, directory.file("aside")) == 0)
      let end = Date().addingTimeInterval(30)
      while FileLock.holder(.tailer, in: bench.index)?.state != "retrying", Date() < end { usleep(5_000) }
      #expect(FileLock.holder(.tailer, in: bench.index)?.state == "retrying")
      #expect(rename(directory.file("aside"), bench.storePath) == 0)
      try bench.insert(1)
      try Scene.expectCaughtUp(reader)
      #expect(follower.isRunning)
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
    }
  }
}
