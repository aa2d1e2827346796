// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// README and the guides: their commands run unchanged, and print the output that the documents show.
@Suite(.overlapping, .temporaryDirectory)
struct DocumentationTests {
  /// The reasons why a test cannot run a shell block, and the number of blocks for each reason.
  private static let reasons = [
    "builds the package": 6,
    "changes the user's shell": 2,
    "needs PostgreSQL": 2,
    "needs Redis": 1,
    "needs a service manager": 1,
  ]

  /// Marks the end of each command's output in the output of the shell.
  private static let mark = "\u{1e}\n"

  @Test(arguments: Guide.all.filter { !$0.commands.isEmpty })
  func `every command of a document prints what the document shows`(_ guide: Guide) throws {
    if "\(guide)".contains("Growing"), !ReplicationFixture.isInstalled {
      return print("the commands of \(guide) are not run: xapian-tools is not installed")
    }
    if "\(guide)".contains("XapianDefects"), !FileManager.default.isExecutableFile(atPath: "/usr/bin/g++") {
      return print("the commands of \(guide) are not run: g++ is not installed")
    }
    let bench = try makeFiles()
    var shell = bench.shell
    shell.environment["FOLLOWSPOT_STORE"] = nil
    shell.environment["LC_ALL"] = nil
    shell.environment["LANG"] = "C.UTF-8"
    shell.environment["HOME"] = bench.directory.path
    shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
    let script =
      "set -e\ntrap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT\n"
      + guide.commands.map { $0.text + "printf '\\036\\n'\n" }.joined()
    let outcome = try shell.run(["-c", script], program: "/bin/bash")
    let printed = outcome.output.components(separatedBy: Self.mark).dropLast()
    #expect(outcome.code == 0 && printed.count == guide.commands.count, "\(guide): \(outcome)")
    for (command, output) in zip(guide.commands, printed) {
      guard let wanted = command.output else { continue }
      let shown = output.replacingOccurrences(of: bench.directory.path, with: "/home/me")
      #expect(withoutMachine(shown) == withoutMachine(wanted), "\(guide):\(command.line)\n\(shown)\(outcome.errors)")
    }
  }

  @Test func `few shell blocks are not run, and each has a known reason`() {
    let skipped = Guide.all.flatMap(\.skipped)
    let counts = Dictionary(grouping: skipped, by: \.reason).mapValues(\.count)
    #expect(counts == Self.reasons)
  }

  @Test func `all blocks with commands or output are tested`() {
    for guide in Guide.all {
      for block in guide.others {
        #expect(["", "swift", "json", "ini"].contains(block.language), "\(guide): \(block)")
        #expect(!block.text.contains("followspot --store"), "\(guide): \(block.text)")
      }
    }
  }

  @Test func `the guide to the command line lists every verb and every exit code`() throws {
    let bench = ShellFixture.empty()
    let help = try bench.shell.run("help").output.components(separatedBy: "\n")
    func names(behind heading: String) -> Set<String> {
      Set(
        help.drop { $0 != heading }.dropFirst().prefix { !$0.isEmpty }
          .compactMap { $0.split(separator: " ").first.map(String.init) })
    }
    let guide = try String(
      contentsOf: Guide.root.appending(path: "Sources/Followspot/Documentation.docc/CommandLine.md"), encoding: .utf8)
    let rows = guide.matches(of: /(?m)^\| ([^|]*) \|/).map { String($0.1) }
    let verbs = rows.flatMap { $0.matches(of: /`([a-z]+)`/).map { String($0.1) } }
    #expect(Set(verbs) == names(behind: "Verbs:"))
    #expect(Set(rows.filter { Int($0) != nil }) == names(behind: "Exit codes:"))
  }

  @Test(.enabled(if: Screen.isThere, "the picture of README is not compared: there is no \(Screen.program)"))
  func `README's picture equals the output on a terminal`() throws {
    let pictures = Guide(path: "README.md").screens
    #expect(pictures.count == 1)
    for picture in pictures {
      let lines = picture.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let command = try #require(lines.first).dropFirst(2)
      var bench = try makeFiles()
      bench.shell.environment["FOLLOWSPOT_STORE"] = nil
      bench.shell.environment["FOLLOWSPOT_PAGER"] = ""
      #expect(try bench.shell.run("--store", "places.sqlite", "index").code == 0)
      let shown = try Screen(columns: 100, bench: bench).lines(after: String(command))
      #expect(
        withoutMachine((shown + [""]).joined(separator: "\n"))
          == withoutMachine(lines.dropFirst().joined(separator: "\n")))
    }
  }

  // MARK: Files that documents mention

  /// Databases that a reader would have: a browser's history, a library, and a store of another machine.
  private func makeFiles() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.directory.file("places.sqlite"), access: .create).execute(Self.places)
    try Connection(path: bench.directory.file("library.sqlite"), access: .create).execute(Self.library)
    try FileManager.default.createDirectory(atPath: bench.directory.file("backup"), withIntermediateDirectories: false)
    for place in ["Photos.sqlite", "backup/Photos.sqlite"] {
      let path = bench.directory.file(place)
      if Shell.dataDirectory != nil {
        try AppleStore.photos.copy(to: path)
      } else {
        let file = try bench.directory.write("{\"title\": \"Pumpkins\"}\n", to: "photos.jsonl")
        #expect(try bench.shell.run("--store", path, "import", file, "--kind", "Keyword").code == 0)
      }
    }
    return bench
  }

  private static let places = """
    CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, description TEXT,
      visit_count INTEGER DEFAULT 0, last_visit_date INTEGER);
    INSERT INTO moz_places VALUES
      (1, 'https://www.debian.org/releases/', 'Debian Releases',
        'Debian always has at least three releases in active maintenance: stable, testing and unstable.',
        12, 1718000000000000),
      (2, 'https://www.debian.org/News/2023/20230610', 'Debian 12 "bookworm" released',
        'After 1 year, 9 months and 28 days of development, the Debian project presents its new stable version 12.',
        3, 1686400000000000),
      (3, 'https://wiki.debian.org/ReleaseParty', 'Release parties',
        'People meet where a Debian release is celebrated.', 1, 1640995200000000),
      (4, 'https://www.sqlite.org/changes.html', 'SQLite release history',
        'This page lists the changes of each SQLite release.', 7, 1719000000000000);
    """

  private static let library = """
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE books (title TEXT, isbn TEXT UNIQUE, author_id INTEGER REFERENCES authors, added TEXT);
    INSERT INTO authors VALUES (1, 'Ursula Le Guin'), (2, 'Iain Banks');
    INSERT INTO books VALUES ('The Dispossessed', '9780061054884', 1, '2020-01-01'),
      ('Excession', '9780553575378', 2, '2021-01-01'), ('The Lathe of Heaven', '9781416556961', 1, '2019-05-02');
    """

  /// The text with placeholders for words that differ between machines or runs.
  private func withoutMachine(_ text: String) -> String {
    text.replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "UUID").replacing(
      /(?m)^ok    (sqlite|xapian|store file system|index file system|inotify|disk): .*$/
    ) { "ok    \($0.1): …" }
    .replacing(/[0-9]+ bytes/, with: "# bytes").replacing(/format [0-9]+/, with: "format #")
    .replacing(/in \d+ ms/, with: "in # ms").replacing(/"seconds":[0-9.]+/, with: "\"seconds\":#")
    .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, with: "TIME").replacing(/:[0-9a-f]{16}"/, with: ":STAMP\"")
  }
}
