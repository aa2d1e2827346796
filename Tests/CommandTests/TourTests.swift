// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@Suite(.overlapping, .temporaryDirectory)
struct TourTests {
  private let directory = TemporaryDirectory()

  /// The lines with placeholders for words that differ between runs.
  private func lines(_ outcome: Shell.Outcome) -> [String] {
    neutral(outcome.output).replacing(/searchable \d+ ms/, with: "searchable N ms")
      .replacing(/checksum [0-9a-f]{32}/, with: "checksum SUM")
      .components(separatedBy: "\nGo on with:")[0].split(separator: "\n").map(String.init)
  }

  @Test func `a program with SwiftData saves the tour's films`() throws {
    let shell = Shell(in: directory, store: "pixar.store")
    let catalogue = Shell.programDirectory + "/pixar-catalogue"
    let expected = [
      "1. A program that uses SwiftData saves films, people and their credits in one transaction.",
      "   $ \(catalogue) add ./pixar.store ./pixar-films.jsonl --author tour",
      "   transaction 1 by tour",
      "     inserted PixarCredit: 158",
      "     inserted PixarMovie: 31",
      "     inserted PixarPerson: 75",
      "2. The index is built from the current rows, and stores the last transaction that it has read.",
      "   search 'toy': 46",
      "     Toy Story",
      "     Toy Story 2",
      "     Toy Story 4",
      "   search 'docter': 12",
      "     Pete Docter",
      "     Up",
      "     Soul",
      "3. A follower runs in a process of its own, and another author changes the store.",
      "   search 'is:favorite': 0",
      "   $ \(catalogue) favor ./pixar.store WALL-E --author projectionist",
      "   transaction 2 by projectionist",
      "     updated WALL-E, isFavorite",
      "   search 'is:favorite': 1",
      "     WALL-E",
      "4. That author deletes a film. The history preserves the title, and the index removes the document.",
      "   search 'cars': 34",
      "     Cars",
      "     Cars 3",
      "     Cars 2",
      "   $ \(catalogue) delete ./pixar.store 'Cars 2' --author projectionist",
      "   transaction 3 by projectionist",
      "     deleted Cars 2",
      "     deleted PixarCredit: 4",
      "     updated PixarPerson: 4",
      "   search 'cars': 26",
      "     Cars",
      "     Cars 3",
      "     Kiel Murray",
      "5. A rebuild creates a new generation from all rows, compares it with the store, and switches to it.",
      "   Its definition follows relationships: films are found by their people.",
      "   generation 2, 30 documents, checksum SUM",
      "   verified: index and store are equal at transaction 3",
      "   search 'people.name:docter released:2000..2010': 2",
      "     Up",
      "     Monsters, Inc.",
    ]
    let first = try shell.succeed("--store", "pixar.store", "tour")
    #expect(lines(first) == expected)
    // The store can be used after the tour, and a second run replaces it.
    try shell.succeed("set", "title:nemo", "isFavorite:=true", "-n", "1", "--author", "me")
    let added = try shell.run(["favor", "pixar.store", "Coco"], program: catalogue)
    #expect(added.output == "transaction 5 by pixar-catalogue\n  updated Coco, isFavorite\n", "\(added)")
    #expect(try shell.run("index").code == 0)
    #expect(
      try shell.run("search", "is:favorite", "--format", "tsv", "--fields", "title").lines.sorted()
        == ["Coco", "Finding Nemo", "WALL-E"])
    let second = try shell.run("--store", "pixar.store", "tour")
    #expect(lines(second) == expected, "\(second)")
  }

  @Test func `without the SwiftData program the films are imported`() throws {
    let alone = directory.file("bin/followspot")
    try FileManager.default.createDirectory(atPath: directory.file("bin"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Shell.program, toPath: alone)
    let shell = Shell(in: directory, store: "pixar.store")
    let outcome = try shell.run(["--store", "pixar.store", "tour"], program: alone)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(
      lines(outcome) == [
        "The program pixar-catalogue is not in the directory of this program, so the films are imported instead.",
        "1. 31 films are saved in ./pixar.store as transaction 1.",
        "2. The index is built from the current rows, and stores the last transaction that it has read.",
        "   search 'toy': 5",
        "     Toy Story",
        "     Toy Story 2",
        "     Toy Story 3",
        "   search 'people.name:docter released:2000..2010': 2",
        "     Up",
        "     Monsters, Inc.",
        "3. A follower runs in a process of its own, and another author changes the store.",
        "   search 'is:favorite': 0",
        "4. Transaction 2 by projectionist was searchable N ms after its save.",
        "   search 'is:favorite': 1",
        "     WALL-E",
        "5. A rebuild creates a new generation from all rows, compares it with the store, and switches to it.",
        "   generation 2, 31 documents, checksum SUM",
        "   verified: index and store are equal at transaction 2",
      ])
  }

  @Test func `outside of a checkout the tour works in its own directory`() throws {
    let shell = Shell(in: directory)
    for _ in 0..<2 {
      let outcome = try shell.succeed("tour")
      #expect(outcome.output.contains(" --store followspot-tour/pixar.store index\n"), "\(outcome)")
    }
    #expect(try shell.run("--store", "followspot-tour/pixar.store", "count", "*").code == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["followspot-tour"])
  }

  private static let canChangeUser =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test(.enabled(if: canChangeUser, "a directory that cannot be written is not shown: only root may change the user"))
  func `if the working directory cannot be written the tour works in the temporary directory`() throws {
    // Everybody can traverse the directories; only the temporary directory can be written.
    chmod(directory.path, 0o755)
    let temporary = directory.file("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    chmod(temporary, 0o1777)
    var shell = Shell(in: directory, store: nil)
    shell.environment["TMPDIR"] = temporary
    // The tour does not use the user's own index.
    shell.environment["FOLLOWSPOT_INDEX"] = directory.file("other.index")
    shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for _ in 0..<2 {
      let outcome = try shell.succeed("tour")
      #expect(outcome.output.contains(" --store temporary/followspot-tour-65534/pixar.store index\n"), "\(outcome)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == ["followspot-tour-65534"])
    // Files of another user are not used.
    let taken = temporary + "/followspot-tour-65533"
    try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: false)
    chmod(taken, 0o777)
    shell.wrapper = ["/usr/bin/setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
    let refused = try shell.run("tour")
    #expect(refused.code == 2)
    #expect(refused.errors == "followspot: \(taken) cannot be used\nhint: followspot --store FILE tour\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: taken) == [])
  }

  @Test func `the tour does not overwrite a user's file that has the name of its film file`() throws {
    let own = try directory.write("mine\n", to: "pixar-films.jsonl")
    let outcome = try Shell(in: directory, store: "pixar.store").run("--store", "pixar.store", "tour")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("pixar-films.jsonl is not of an earlier tour"), "\(outcome)")
    #expect(try String(contentsOfFile: own, encoding: .utf8) == "mine\n")
    #expect(!FileManager.default.fileExists(atPath: directory.file("pixar.store")))
  }
}
