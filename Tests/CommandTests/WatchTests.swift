// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `status --watch`: a view of lag, rates and the last transactions.
@Suite(.overlapping, .temporaryDirectory)
struct WatchTests {
  private func watch(_ bench: ShellFixture, _ command: String, _ body: (Screen.Session) throws -> Void) throws {
    // Ctrl-C also interrupts the shell.
    let started = try Screen(columns: 80, rows: 30, bench: bench)
      .run("trap : INT; \(command); printf '[exit %s]\\n' $?; exec sleep 600", body)
    #expect(started)
  }

  @Test(.enabled(if: Screen.isThere, "there is no \(Screen.program)"), arguments: ["q", "C-c"])
  func `a terminal shows the state in place, and is restored at the end`(_ key: String) throws {
    let bench = try ShellFixture.preservedFilms()
    let newest = try bench.newest()
    try watch(bench, "echo before; followspot status --watch") { session throws in
      #expect(try session.shows("q ends"))
      let lines = try session.lines()
      #expect(lines[0] == "The index is up to date.", "\(lines)")
      #expect(lines[2] == "lag      0 transactions, up to date", "\(lines)")
      #expect(lines[7].wholeMatch(of: /lag      ▁+/) != nil, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("Transaction \(newest) · 4 inserted · Film · by importer · ") }, "\(lines)")
      #expect(!lines.contains("before"))
      try bench.shell.run("delete", "Film/p1", "--author", "curator")
      #expect(try session.shows("lag      1 transaction, the oldest is "))
      #expect(try session.shows("Transaction \(newest + 1) · 1 deleted · Film · by curator"))
      #expect(try session.shows("█"))
      #expect(try bench.shell.run("index").code == 0)
      #expect(try session.shows("lag      0 transactions, up to date"))
      try session.resize(columns: 1, rows: 2)
      #expect(try session.shows("…"))
      try session.resize(columns: 80, rows: 30)
      #expect(try session.shows("q ends"))
      try session.type(key)
      #expect(try session.shows("[exit 0]"))
      #expect(try session.lines().prefix(2) == ["before", "[exit 0]"])
    }
  }

  @Test(.enabled(if: Screen.isThere, "there is no \(Screen.program)"))
  func `a terminal without UTF-8 shows ASCII, and a dumb one lines`() throws {
    do {
      let bench = try ShellFixture.preservedFilms()
      try watch(bench, "LC_ALL=C followspot status --watch") { session throws in
        #expect(try session.shows("lag      ___"))
        try session.type("q")
        #expect(try session.shows("[exit 0]"))
      }
    }
    let bench = try ShellFixture.preservedFilms()
    try watch(bench, "TERM=dumb followspot status --watch") { session throws in
      #expect(try session.shows("  lag 0  not followed"))
      try session.type("C-c")
      #expect(try session.shows("[exit 0]"))
    }
  }

  @Test func `a pipe gets a line for each change`() throws {
    let bench = try ShellFixture.preservedFilms()
    let newest = try bench.newest()
    let running = try bench.shell.start(["status", "--watch"])
    func expect(_ count: Int) {
      #expect(eventually { running.output.split(separator: "\n").count == count }, "\(running.output)")
    }
    expect(1)
    try bench.shell.run("delete", "Film/p1")
    expect(2)
    try bench.shell.run("index")
    expect(3)
    let outcome = running.end()
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(
      outcome.lines.map(neutral) == [
        "TIME  newest \(newest)  token \(newest)  lag 0  not followed",
        "TIME  newest \(newest + 1)  token \(newest)  lag 1  not followed",
        "TIME  newest \(newest + 1)  token \(newest + 1)  lag 0  not followed",
      ])
  }

  @Test func `a missing store and other formats are refused`() throws {
    let bench = ShellFixture.empty()
    #expect(try bench.shell.run("status", "--watch").code == 3)
    let refused = try bench.shell.run("status", "--watch", "--format", "json")
    #expect(refused.code == 2 && refused.errors == "followspot: --watch prints text\n", "\(refused)")
  }
}

extension Screen.Session {
  /// Whether the screen shows the text within a minute.
  fileprivate func shows(_ text: String) throws -> Bool {
    try wait { lines in lines.contains { $0.contains(text) } }.isMet
  }
}
