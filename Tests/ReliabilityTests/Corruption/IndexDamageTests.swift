// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// Damaged, truncated or exchanged files of an index: no verb crashes or hangs, `verify` finds every changed document, and a
/// rebuild repairs the index.
@Suite(.overlapping, .temporaryDirectory)
struct IndexDamageTests {
  private static let verbs = [
    ["search", "co"], ["count", "*"], ["status", "--format", "json"], ["index"],
    ["search", "di fu", "--format", "json"],
    ["wait", "--timeout", "50ms"], ["verify", "--repair"], ["set", "title:co", "year=1990", "-n", "1"], ["schema"],
    ["index", "--no-reconcile"], ["verify", "--quick"], ["rollback"], ["search", "title:bac*"],
  ]

  /// The result of one round.
  private enum Found { case error, difference, nothing }

  /// Damages a copy, and runs `verify`, another verb, and a rebuild.
  private func expectFound(
    _ specimen: Specimen, verb: [String], _ what: (Specimen.Copy) throws -> String
  ) throws -> Found {
    var found = Found.nothing
    try specimen.withCopy { copy in
      let what = try what(copy)
      let verified = try copy.shell.runInContract(["verify"], codes: [0, 1, 7], what)
      found = verified.code == 7 ? .error : verified.code == 1 ? .difference : .nothing
      if verified.code == 0 {
        let (found, before) = try (copy.dump().documents, specimen.dump.documents)
        let pending = specimen.pending
        #expect(
          found.filter { !pending.contains($0.key) } == before.filter { !pending.contains($0.key) },
          "verify did not find it: \(what)")
      }
      try copy.shell.runInContract(verb, codes: [0, 1, 4, 7], what)
      let rebuilt = try copy.shell.runInContract(["rebuild"], codes: [0], what)
      let isChanged = verb.first == "set"
      // A definition that could not be read was inferred again.
      let isKept = try copy.servedDefinition() == specimen.definition
      let expected = isChanged || !isKept ? try copy.rebuiltDump() : specimen.whole
      if rebuilt.code == 0 { #expect(try copy.dump() == expected, "\(what)") }
    }
    return found
  }

  @Test(arguments: ["iamglass", "position.glass", "postlist.glass", "termlist.glass"])
  func `a truncated or missing file of the generation is detected, and a rebuild repairs it`(name: String) throws {
    let specimen = try Specimen(seed: 1)
    let path = specimen.bench.index.path(ofGeneration: 1) + "/" + name
    let size = try #require(FileManager.default.contents(atPath: path)).count
    for (round, damage) in (Damage.cuts(size: size) + [.removed]).enumerated() {
      let verb = Self.verbs[(round * 3 + name.utf8.count) % Self.verbs.count]
      let found = try expectFound(specimen, verb: verb) { copy in
        try damage.happen(to: copy.index.path(ofGeneration: 1) + "/" + name)
        return "\(name) \(damage)"
      }
      #expect(found != .nothing, "\(name) \(damage)")
    }
  }

  @Test(arguments: Rounds.groups(16, full: 60, long: 1_000))
  func `flipped bits and garbage cause no crash, and verify detects every changed document`(seeds: [Int]) throws {
    let specimen = try Specimen(seed: seeds[0])
    var counts: [Found: Int] = [:]
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      let found = try expectFound(specimen, verb: Self.verbs[seed % Self.verbs.count]) { copy in
        let files = try copy.files().filter { !$0.hasSuffix("flintlock") }
        let file = try #require(files.randomElement(using: &generator))
        let size = FileManager.default.contents(atPath: file)?.count ?? 0
        let damage = Damage.random(size: size, seed: seed)
        try damage.happen(to: file)
        return "seed \(seed): \(file.split(separator: "/").last ?? "") \(damage)"
      }
      counts[found, default: 0] += 1
    }
    print(
      "seeds \(seeds[0])-\(seeds[seeds.count - 1]): \(counts[.error] ?? 0) cannot be read, "
        + "\(counts[.difference] ?? 0) differ, \(counts[.nothing] ?? 0) change nothing")
  }

  @Test(arguments: ["iamglass", "position.glass", "postlist.glass", "termlist.glass"])
  func `a file from another generation is detected`(name: String) throws {
    let specimen = try Specimen(seed: 2, generations: 2)
    for verb in [["search", "co"], ["index"]] {
      _ = try expectFound(specimen, verb: verb) { copy in
        let own = copy.index.path(ofGeneration: 2) + "/" + name
        try FileManager.default.removeItem(atPath: own)
        try FileManager.default.copyItem(atPath: copy.index.path(ofGeneration: 1) + "/" + name, toPath: own)
        return "\(name) of the generation before"
      }
    }
  }

  // MARK: The stub and the locks

  enum Stub: String, CaseIterable { case empty, garbage, noSuchGeneration, long, directory, dangling, loop, bytes }

  private func damage(_ stub: Stub, _ path: String) throws {
    let manager = FileManager.default
    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    switch stub {
    case .empty: try write("")
    case .garbage: try write("auto ../../etc\n")
    case .noSuchGeneration: try write("auto gen-0099\n")
    case .long: try write(String(repeating: "auto gen-0001 ", count: 10_000))
    case .bytes: try Data([0xff, 0xfe, 0, 0]).write(to: URL(fileURLWithPath: path))
    case .directory, .dangling, .loop:
      try manager.removeItem(atPath: path)
      if stub == .directory {
        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
      } else {
        let target = stub == .loop ? "XAPIANDB" : "nowhere"
        try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
      }
    }
  }

  @Test(arguments: Stub.allCases)
  func `a damaged stub is reported, and a rebuild or a pass repairs it`(_ stub: Stub) throws {
    let specimen = try Specimen(seed: 3)
    try specimen.withCopy { copy in
      let path = copy.index.path + "/XAPIANDB"
      try damage(stub, path)
      for verb in [["search", "co"], ["count", "*"], ["status"], ["verify"], ["index"]] {
        try copy.shell.runInContract(verb, codes: stub == .dangling ? [0, 3] : [2, 7], "stub \(stub)")
      }
      let rebuilt = try copy.shell.runInContract(["rebuild"], codes: [0, 2], "stub \(stub)")
      if rebuilt.code == 2 {
        // Something that is not a regular file is reported and not replaced.
        #expect(rebuilt.errors.contains(copy.index.path), "\(rebuilt)")
        try FileManager.default.removeItem(atPath: path)
        try copy.shell.runInContract(["rebuild"], codes: [0], "stub \(stub) removed")
      }
      try copy.shell.runInContract(["verify"], codes: [0], "stub \(stub)")
      #expect(try copy.dump() == copy.rebuiltDump())
    }
  }

  @Test(arguments: ["tailer.lock", "rebuild.lock"], ["directory", "link", "dangling"])
  func `a lock that is not a regular file is reported and not followed`(name: String, kind: String) throws {
    let specimen = try Specimen(seed: 4)
    try specimen.withCopy { copy in
      let path = copy.index.path + "/" + name
      let victim = try copy.directory.write("precious\n", to: "victim")
      try? FileManager.default.removeItem(atPath: path)
      if kind == "directory" {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      } else {
        let target = kind == "link" ? victim : copy.directory.file("made-by-link")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      }
      let refused = try copy.shell.runInContract(
        name == "tailer.lock" ? ["index"] : ["rebuild"], codes: [2], "\(name) is a \(kind)")
      #expect(refused.errors.contains(path), "\(refused)")
      for verb in [["search", "co"], ["verify"], ["status"]] {
        try copy.shell.runInContract(verb, codes: [0], "\(name) is a \(kind)")
      }
      #expect(FileManager.default.contents(atPath: victim) == Data("precious\n".utf8))
      #expect(!FileManager.default.fileExists(atPath: copy.directory.file("made-by-link")))
      try FileManager.default.removeItem(atPath: path)
      try copy.shell.runInContract(["index"], codes: [0], "\(name) removed")
      try copy.shell.runInContract(["rebuild"], codes: [0], "\(name) removed")
      #expect(try copy.dump() == specimen.whole)
    }
  }
}
