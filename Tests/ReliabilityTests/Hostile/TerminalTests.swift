// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

/// Texts with control sequences: they are printed in a harmless form.
@Suite(.overlapping, .temporaryDirectory)
struct TerminalTests {
  private let directory = TemporaryDirectory()

  private static let terminal = "/usr/bin/script"

  /// Controls in `text`, but for what ends lines and tables, and what the program itself draws on a terminal.
  private func controls(_ text: String, isTerminal: Bool) -> [String] {
    var text = text.replacingOccurrences(of: "\r\u{1b}[K", with: "")
    if isTerminal { text = text.replacingOccurrences(of: "\r\r\n", with: "\n") }
    text = text.replacingOccurrences(of: "\r\n", with: "\n")
    return text.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x09, 0x0a: false
      case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfff9...0xfffb: true
      default: false
      }
    }.map { "U+" + String($0.value, radix: 16) }
  }

  private func expectClean(_ text: String, _ what: String, isTerminal: Bool = false) {
    let found = controls(text, isTerminal: isTerminal)
    #expect(found.isEmpty, "\(what): \(found)\n\(text.debugDescription)")
  }

  /// Runs a command on a pseudo terminal; everything it wrote, standard error included.
  private func runOnTerminal(_ shell: Shell, _ arguments: [String]) throws -> String {
    var shell = shell
    shell.environment.merge(["TERM": "xterm", "NO_COLOR": "1", "SHELL": "/bin/sh", "FOLLOWSPOT_PAGER": ""]) { $1 }
    let words = ([Shell.program] + arguments).map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }
    let outcome = try shell.runToEnd(
      ["-qec", words.joined(separator: " "), "/dev/null"], program: Self.terminal, "\(arguments)")
    return outcome.output
  }

  /// A store whose every text is an escape, and whose authors and field names are too.
  private func make(in directory: TemporaryDirectory) throws -> PersistentStore {
    let entity = EntityDescription(
      "Film",
      attributes: [
        AttributeDescription("title", .string, options: [.preserveValueOnDeletion]),
        AttributeDescription("turned\u{202e}eman", .string, isOptional: true),
        AttributeDescription("tags", .strings, isOptional: true),
        AttributeDescription("people", .json, isOptional: true),
      ], relationships: [RelationshipDescription("next\u{2066}", to: "Film")])
    let store = try PersistentStore.create(directory.file("films.store"), model: ModelDescription(entities: [entity]))
    let layout = store.layout.entities[0]
    for escape in HostileValues.escapes {
      let json = String(decoding: try JSONEncoder().encode([escape]), as: UTF8.self)
      try store.save(author: escape) { save in
        try save.insert(
          layout,
          [
            .text("word " + escape), .text(escape), .blob(Array(json.utf8)),
            .blob(Array("{\"name\":\"raw \(escape)\"}".utf8)),
          ])
      }
    }
    try store.save(author: "\u{1b}c") { try $0.delete(layout, key: 1) }
    return store
  }

  private static let commands = [
    ["search", "word"], ["search", "word", "--format", "json"], ["search", "word", "--format", "ndjson"],
    ["search", "word", "--format", "ids"], ["search", "word", "--fields", "title,tags,people.name,turned\u{202e}eman"],
    ["show", "Film/p2", "Film/p3", "Film/p8"], ["show", "Film/p2", "--format", "json"], ["history"],
    ["history", "--format", "json"], ["history", "--format", "ndjson"], ["history", "--format", "tsv"], ["status"],
    ["status", "--format", "json"], ["schema"], ["verify"], ["search", "nothing\u{1b}[31m"],
    ["search", "title:(\u{1b}[31m"], ["search", "field\u{1b}[31m:x"], ["search", "x", "--fields", "a\u{9b}b"],
    ["search", "x", "--kind", "K\u{1b}[1m"], ["show", "Film\u{7}/p1"], ["show", "x\u{202e}"], ["verb\u{1b}[31m"],
    ["search", "--option\u{1b}[31m"], ["set", "Film/p2", "no\u{1b}pe=x"], ["history", "consumers"],
    ["import", "no\u{1b}[2Jfile.jsonl"], ["rebuild", "--definition", "d\u{202e}.json"], ["help", "v\u{1b}erb"],
    ["search", "word", "--template", "{title} {tags}\\n"], ["explain", "Film/p2", "word"], ["doctor"],
    ["config", "c\u{1b}"],
    ["search", "word", "--template", "{a\u{1b}}"], ["--format-version", "\u{1b}", "status"],
    ["migrate", "m\u{9b}.json"], ["history", "consumers", "add", "c\u{1b}"], ["wait", "--timeout", "\u{1b}"],
  ]
  /// Tables for other programs: a pipe gets what the rows hold, a terminal does not.
  private static let tables = [
    ["search", "word", "--format", "tsv"], ["search", "word", "--format", "csv"],
    ["search", "word", "--format", "csv", "--fields", "title,turned\u{202e}eman,people.name"],
    ["search", "word", "--format", "tsv", "--fields", "title,tags,people"],
  ]

  @Test func `output to a pipe has no control characters, neither as text nor as JSON`() throws {
    _ = try make(in: directory)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    for command in Self.commands {
      let outcome = try shell.runToEnd(command, "\(command)")
      #expect(outcome.signal == 0)
      expectClean(outcome.output, "\(command)")
      expectClean(outcome.errors, "\(command)")
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: terminal),
      "terminals are not shown: there is no \(terminal)"))
  func `output to a terminal has no control characters in any format`() throws {
    _ = try make(in: directory)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    for command in Self.commands + Self.tables {
      let shown = try runOnTerminal(shell, command)
      #expect(!shown.isEmpty || command[0] == "history", "\(command)")
      expectClean(shown, "\(command)", isTerminal: true)
    }
  }

  @Test func `names of files are printed without control characters`() throws {
    let folder = directory.file("dir\u{1b}[31m\u{202e}\u{9b}2J\nline")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let shell = Shell(in: directory)
    let store = ["--store", folder + "/films\u{7}.store"]
    let file = folder + "/new\u{1b}]0;x\u{7}.jsonl"
    try Data("{\"title\":\"one\"}\nnot json\n".utf8).write(to: URL(fileURLWithPath: file))
    for command in [
      ["doctor"], ["doctor", "--format", "json"], ["status"], ["import", file, "--kind", "Film"],
      ["import", file, "--kind", "Film", "--skip-bad"], ["status"],
      ["index"], ["status"], ["status", "--format", "json"], ["schema"], ["history", "consumers"],
      ["history", "consumers", "--format", "json"], ["import", file], ["verify"],
      ["index", "--index", file], ["search", "one"], ["rebuild", "--definition", file], ["migrate", file],
    ] {
      let outcome = try shell.runToEnd(store + command, "\(command)")
      #expect(outcome.signal == 0)
      expectClean(outcome.output, "\(command)")
      expectClean(outcome.errors, "\(command)")
    }
    #expect(try shell.run(store + ["count", "one"]).output == "1\n")
  }
}
