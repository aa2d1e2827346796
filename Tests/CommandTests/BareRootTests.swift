// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A `chroot` without mounts, as some sandboxes are.
@Suite(
  .overlapping, .temporaryDirectory, .enabled(if: geteuid() == 0, "a bare root is not tried: only root may enter it"))
struct BareRootTests {
  @Test func `without proc, sys and dev the program takes its arguments, answers and names itself`() throws {
    let root = try BareRoot()
    for name in ["/proc", "/sys", "/dev"] { #expect(!root.has(name)) }
    #expect(try root.run("--version").output.hasPrefix("followspot "))
    #expect(try root.run("--nonsense").code == 2)
    _ = try root.directory.write(Films.lines, to: "new.jsonl")
    let imported = try root.run("import", "/new.jsonl", "--kind", "Film", "--author", "me")
    #expect(imported.output.contains("\"inserted\":8"), "\(imported)")
    let found = try root.run("search", "cowboy", "--build", "--fields", "title", "--format", "tsv")
    #expect(found.lines == ["Toy Story", "Toy Story 2"], "\(found)")
    #expect(try root.run("verify").output.hasPrefix("equal documents=8 "))
    for verb in ["status", "doctor"] { #expect(try root.run(verb).code == 0) }
    let unit = try root.run("service", "print")
    #expect(unit.output.contains("ExecStart=\"\(BareRoot.program)\" "), "\(unit)")
  }

  @Test func `the tour runs without mounts`() throws {
    let outcome = try BareRoot().run("tour")
    #expect(outcome.code == 0 && outcome.output.contains("verified: index and store are equal"), "\(outcome)")
  }

  @Test func `without a null device, the store does not get the descriptor of a closed standard stream`() throws {
    var root = try BareRoot()
    _ = try root.directory.write(Films.lines, to: "new.jsonl")
    #expect(try root.run("import", "/new.jsonl", "--kind", "Film").code == 0)
    root.shell.wrapper = ["/bin/sh", "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"] + root.shell.wrapper
    let outcome = try root.run("set", "Film/p1", "title=Other")
    root.shell.wrapper.removeFirst(3)
    #expect(outcome.code == 0)
    #expect(try root.run("show", "Film/p1").output.contains("title: Other"))
  }

  @Test func `a transfer whose bytes the system does not count is not ended as a stalled one`() throws {
    var root = try BareRoot()
    try root.add("/bin/sh", at: "/bin/sh")
    try root.add("/bin/sleep", at: "/bin/sleep")
    let script = "#!/bin/sh\nsleep 2\necho 'xapian-replicate: NetworkError: ended by itself' >&2\nexit 1\n"
    chmod(try root.directory.write(script, to: "bin/xapian-replicate"), 0o755)
    root.shell.environment["PATH"] = "/bin"
    let outcome = try root.run("replicate", "from", "127.0.0.1:7", "/films.replica", "--patience", "1s")
    #expect(outcome.code == 75 && outcome.errors.contains("ended by itself"), "\(outcome)")
  }
}
