// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `pick` and its shell widgets, operated by keys in a terminal.
@Suite(
  .overlapping, .temporaryDirectory,
  .enabled(if: Screen.isThere && Screen.hasFinder, "the finder is not shown: tmux or fzf is missing"))
struct PickTests {
  private let bench: ShellFixture

  init() throws { bench = try ShellFixture() }

  /// Runs `pick`, whose output and exit code go to the file `chosen`, and returns these lines.
  private func pick(
    _ bench: ShellFixture, _ arguments: String, columns: Int = 100, _ body: (Screen.Session) throws -> Void
  ) throws -> [String] {
    let file = bench.directory.file("chosen")
    let command = "followspot pick \(arguments) > '\(file)'; echo code $? >> '\(file)'; exec sleep 600"
    func text() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
    try Screen(columns: columns, rows: 20, bench: bench).run(command) { session in
      try body(session)
      let shown = try session.lines()
      #expect(eventually { text().contains("code ") }, "\(shown)")
    }
    return text().split(separator: "\n").map(String.init)
  }

  private func wait(_ session: Screen.Session, _ text: String...) throws {
    let (lines, isMet) = try session.wait { shown in text.allSatisfy { part in shown.contains { $0.contains(part) } } }
    #expect(isMet, "\(text) is not shown:\n\(lines.joined(separator: "\n"))")
  }

  @Test func `the list follows the query, the preview shows the record, and Enter prints the identifier`() throws {
    let chosen = try pick(bench, "") { session in
      try wait(session, "Monsters, Inc.", "WALL-E")
      // Two letters are too few for a prefix, and no record has them as a word.
      try session.type("co")
      try wait(session, "> co", "Monsters, Inc.")
      try session.type("wb")
      try wait(session, "Toy Story 2", "A cowboy doll fears", "title: Toy Story", "isFavorite: true")
      let (lines, isGone) = try session.wait { !$0.contains { $0.contains("WALL-E") } }
      #expect(isGone, "\(lines)")
      try session.type("Enter")
    }
    #expect(chosen == ["Film/p1", "code 0"])
  }

  @Test func `a key switches between the kinds, and Tab marks several records`() throws {
    try bench.importRecords(#"{"name": "Toy Story Studios"}"#, options: ["--kind", "Studio"])
    let chosen = try pick(bench, "story --print title,@id") { session in
      try wait(session, "Toy Story Studios", "Toy Story 2", "The C++ Story")
      try session.type("C-t")
      try wait(session, "Film> story")
      _ = try session.wait { !$0.contains { $0.contains("Studios") } }
      try session.type("Tab", "Tab")
      try session.type("Enter")
    }
    #expect(chosen == ["Toy Story\tFilm/p1", "The C++ Story\tFilm/p7", "code 0"])
    let studio = try pick(bench, "story --kind studio") { session in
      try wait(session, "Studio> story", "Toy Story Studios")
      try session.type("Enter")
    }
    #expect(studio == ["Studio/p1", "code 0"])
  }

  @Test func `--exec runs a command for each chosen record, and Escape chooses nothing`() throws {
    let shown = try pick(bench, "toy --exec 'echo got {}'") { session in
      try wait(session, "Toy Story 2")
      try session.type("Tab", "Tab", "Enter")
    }
    #expect(shown == ["got Film/p1", "got Film/p2", "code 0"])
    let none = try pick(bench, "toy") { session in
      try wait(session, "Toy Story 2")
      try session.type("Escape")
    }
    #expect(none == ["code 130"])
    let failed = try pick(bench, "toy --exec false") { session in
      try wait(session, "Toy Story 2")
      try session.type("Enter")
    }
    #expect(failed == ["code 2"])
  }

  @Test(arguments: ["title:", "\"toy", "(", "kind:nothing", "year:x", "toy'; touch hit; '", "$(touch hit)"])
  func `queries that are incomplete or contain shell syntax disturb nothing`(_ query: String) throws {
    let chosen = try pick(bench, "") { session in
      try wait(session, "WALL-E")
      try session.type("-l", query)
      try wait(session, "> " + query)
      try session.type("C-u")
      try wait(session, "WALL-E", "Monsters, Inc.")
      try session.type("up", "Enter")
    }
    #expect(chosen.last == "code 0" || chosen.last == "code 1", "\(chosen)")
    #expect(!FileManager.default.fileExists(atPath: bench.directory.file("hit")))
  }

  @Test(arguments: [1, 10, 40])
  func `narrow terminals work`(columns: Int) throws {
    let chosen = try pick(bench, "monsters", columns: columns) { session in
      _ = try session.wait { $0.contains { $0.contains(">") } }
      Thread.sleep(forTimeInterval: 1)
      try session.type("Enter")
    }
    #expect(chosen == ["Film/p3", "code 0"])
  }

  @Test func `missing programs, terminals and kinds are reported`() throws {
    var shell = bench.shell
    shell.environment["PATH"] = "/nowhere"
    let missing = try shell.run("pick")
    #expect(
      missing.code == 2
        && missing.errors == """
          followspot: pick needs fzf, which is not installed
          hint: sudo apt-get install fzf, or use followspot search

          """,
      "\(missing)")
    shell.environment["PATH"] = "/usr/bin:/bin"
    let blind = try shell.run(["-w", Shell.program, "pick"], program: "/usr/bin/setsid")
    #expect(blind.code == 2 && blind.errors.hasPrefix("followspot: pick needs a terminal\n"), "\(blind)")
    let both = try shell.run("pick", "--print", "title", "--exec", "echo")
    #expect(both.code == 2 && both.errors.hasPrefix("followspot: --print and --exec cannot be combined\n"), "\(both)")
  }

  // MARK: Shell widgets

  @Test(
    arguments: [
      ("bash", "/bin/bash", ["--norc", "--noprofile"], ". ./widget"), ("zsh", "/bin/zsh", ["-f"], ". ./widget"),
      ("fish", "/usr/bin/fish", ["--no-config"], "source ./widget"),
    ].filter { FileManager.default.isExecutableFile(atPath: $0.1) })
  func `Alt-S inserts the identifiers at the cursor`(
    _ name: String, _ program: String, _ options: [String], _ load: String
  ) throws {
    let script = try bench.shell.succeed("pick", "--widget", name)
    _ = try bench.directory.write(script.output, to: "widget")
    let screen = Screen(columns: 100, rows: 20, bench: bench)
    // fish keeps a directory in XDG_RUNTIME_DIR, otherwise in the temporary one.
    let home = bench.directory.path
    try screen.run("cd '\(home)'; export XDG_RUNTIME_DIR='\(home)'; exec \(program) \(options.joined(separator: " "))")
    { session in
      try session.type(load + "; echo re''ady", "Enter")
      try wait(session, "ready")
      try session.type("clear", "Enter")
      _ = try session.wait { !$0.contains { $0.contains("ready") } }
      try session.type("-l", "echo got  end")
      try session.type("Left", "Left", "Left", "Left")
      try session.type("M-s")
      try wait(session, "Ctrl-T: kind", "Monsters, Inc.")
      try session.type("toy")
      try wait(session, "Toy Story 2", "title: Toy Story")
      _ = try session.wait { !$0.contains { $0.contains("Monsters") } }
      try session.type("Tab", "Tab", "Enter")
      try wait(session, "echo got Film/p1 Film/p2 end")
      try session.type("Enter")
      let (lines, isRun) = try session.wait { $0.contains("got Film/p1 Film/p2 end") }
      #expect(isRun, "\(lines)")
    }
  }
}
