// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// Links, odd names and directories in which other users may write.
@Suite(.overlapping, .temporaryDirectory)
struct PathTests {
  private let directory = TemporaryDirectory()
  private let manager = FileManager.default

  private func link(_ path: String, to target: String) throws {
    try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  @Test func `an index reached by links has one lock`() throws {
    try Specimen(seed: 1).withCopy { copy in
      let link = copy.directory.file("link.index")
      let second = copy.directory.file("second.index")
      try self.link(link, to: copy.index.path)
      try self.link(second, to: "link.index")
      let follower = try copy.shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      for path in [copy.index.path, link, second, link + "/", copy.directory.path + "/./films.store.index"] {
        let refused = try copy.shell.run("index", "--index", path)
        #expect(refused.code == 5 && refused.errors.contains("process \(follower.pid) "), "\(path): \(refused)")
        #expect(try copy.shell.run("search", "co", "--index", path).code == 0)
      }
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
      #expect(try copy.shell.run("rebuild", "--index", second).code == 0)
      #expect(try manager.destinationOfSymbolicLink(atPath: link) == copy.index.path)
      #expect(try copy.shell.run("verify").code == 0)
    }
  }

  @Test func `a store reached by a link is the same store, and its saves are followed`() throws {
    try Specimen(seed: 2).withCopy { copy in
      let link = copy.directory.file("link.store")
      try self.link(link, to: "films.store")
      let index = ["--index", copy.index.path]
      let follower = try copy.shell.start(["--store", link, "index", "--follow"] + index)
      #expect(follower.waitForError("following "))
      for (round, path) in [copy.store, link, copy.store].enumerated() {
        #expect(try copy.shell.run("--store", path, "set", "Film/p1", "title=by link \(round)").code == 0)
        #expect(try copy.shell.run(["wait", "--timeout", "60s"] + index).code == 0)
      }
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
      #expect(try copy.shell.run(["verify"] + index).code == 0)
      #expect(try copy.shell.run(["--store", link, "verify"] + index).code == 0)
      #expect(try copy.shell.run(["--store", link, "index"] + index).errors == "")
    }
  }

  @Test func `dangling and circular links are reported and not changed`() throws {
    try Specimen(seed: 3).withCopy { copy in
      let dangling = copy.directory.file("dangling")
      let loop = copy.directory.file("loop")
      try link(dangling, to: copy.directory.file("nowhere"))
      try link(loop, to: "loop")
      let file = try copy.directory.write("{\"a\":1}\n", to: "new.jsonl")
      for path in [dangling, loop] {
        for verb in [["index"], ["status"], ["search", "x"], ["import", file, "--kind", "T"]] {
          let refused = try copy.shell.runInContract(["--store", path] + verb, codes: [2, 3], path)
          #expect(refused.errors.contains(path), "\(verb): \(refused)")
        }
        for verb in [["index"], ["rebuild"], ["search", "x"], ["verify"], ["status"]] {
          let refused = try copy.shell.runInContract(["--index", path] + verb, codes: [0, 2, 3], path)
          #expect(refused.code != 0 || verb == ["status"], "\(verb): \(refused)")
          #expect(refused.code == 0 || refused.errors.contains(path), "\(verb): \(refused)")
        }
        #expect(try manager.destinationOfSymbolicLink(atPath: path) != "")
      }
      #expect(!manager.fileExists(atPath: copy.directory.file("nowhere")))
    }
  }

  @Test func `links of other users in a directory of the index are not followed`() throws {
    try Specimen(seed: 4).withCopy { copy in
      let victim = try copy.directory.write("precious\n", to: "victim")
      let home = copy.directory.file("home")
      try manager.createDirectory(atPath: home, withIntermediateDirectories: false)
      try Data("precious\n".utf8).write(to: URL(fileURLWithPath: home + "/letter"))
      chmod(copy.index.path, 0o1777)
      try link(copy.index.path + "/XAPIANDB.new", to: victim)
      // As though an interrupted rebuild had left them.
      try link(copy.index.path + "/gen-0002", to: home)
      try link(copy.index.path + "/gen-0007", to: home)
      let rebuilt = try copy.shell.runInContract(["rebuild"], codes: [0, 2], "links in the index")
      #expect(manager.contents(atPath: victim) == Data("precious\n".utf8))
      #expect(try manager.contentsOfDirectory(atPath: home) == ["letter"])
      if rebuilt.code != 0 {
        #expect(rebuilt.errors.contains("XAPIANDB.new"), "\(rebuilt)")
        unlink(copy.index.path + "/XAPIANDB.new")
        #expect(try copy.shell.run("rebuild").code == 0)
      }
      #expect(try manager.contentsOfDirectory(atPath: home) == ["letter"])
      #expect(try copy.shell.run("verify").code == 0)
    }
  }

  @Test func `files are created with the permissions that the umask allows`() throws {
    for (mask, file, directory) in [("077", 0o600, 0o700), ("022", 0o644, 0o755)] {
      try TemporaryDirectory.with { place in
        let records = try place.write("{\"title\":\"one\"}\n", to: "new.jsonl")
        let shell = Shell(in: place)
        let made = try shell.run(
          [
            "-c", "umask \(mask); \"$0\" import '\(records)' --kind T && \"$0\" index && \"$0\" rebuild", Shell.program,
          ],
          program: "/bin/sh")
        #expect(made.code == 0, "\(made)")
        let names = try manager.subpathsOfDirectory(atPath: place.path).filter { $0.hasPrefix("films.store") }
        #expect(names.count > 10)
        for name in names {
          let attributes = try manager.attributesOfItem(atPath: place.file(name))
          let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
          #expect(attributes[.posixPermissions] as? Int == (isDirectory ? directory : file), "\(mask): \(name)")
        }
      }
    }
  }

  @Test(arguments: [
    "a b.store", "line\nbreak.store", "-x.store", "--store", "'quoted\" $(name) `x` \\.store", "ünï👩‍🚀.store",
    "%41?x#y&mode=memory.store", "file:x.store", ":memory:", String(repeating: "n", count: 200) + ".store", ".hidden",
  ])
  func `a store may have an odd name`(name: String) throws {
    let file = try directory.write("{\"title\":\"one\"}\n{\"title\":\"two\"}\n", to: "new.jsonl")
    let shell = Shell(in: directory, store: nil)
    for verb in [
      ["import", file, "--kind", "Film"], ["index"], ["set", "Film/p1", "title=three"], ["index"], ["rebuild"],
      ["verify"], ["status"], ["schema"],
    ] {
      let outcome = try shell.run(["--store=\(name)"] + verb)
      #expect(outcome.code == 0, "\(verb): \(outcome)")
    }
    #expect(try shell.run("--store=\(name)", "count", "three").output == "1\n")
    let names = try manager.contentsOfDirectory(atPath: directory.path).filter { !$0.hasPrefix(".run-") }
    #expect(names.contains(name) && names.allSatisfy { $0 == "new.jsonl" || $0.hasPrefix(name) }, "\(names)")
  }

  @Test func `a name that is not UTF-8 is refused, and no other file is created`() throws {
    let file = try directory.write("{\"title\":\"one\"}\n", to: "new.jsonl")
    let shell = Shell(in: directory, store: nil)
    let odd = "$(printf 'caf\\351.store')"
    for command in [
      "\"$0\" --store \"\(odd)\" import '\(file)' --kind Film",
      "FOLLOWSPOT_STORE=\"\(odd)\" \"$0\" import '\(file)' --kind Film",
      "\"$0\" --store films.store import '\(file)' --kind Film && \"$0\" --store films.store --index \"\(odd)\" index",
    ] {
      let refused = try shell.run(["-c", command, Shell.program], program: "/bin/sh")
      #expect(refused.code == 2, "\(refused)")
      #expect(refused.errors.contains("UTF-8") && refused.errors.contains("\nhint: "), "\(refused)")
    }
    let names = try manager.contentsOfDirectory(atPath: directory.path)
    #expect(names.allSatisfy { $0.hasPrefix("films.store") || $0 == "new.jsonl" || $0.hasPrefix(".run-") }, "\(names)")
  }
}
