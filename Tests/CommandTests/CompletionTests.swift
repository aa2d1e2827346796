// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Completion, called as the shells call it. The shells themselves run the scripts, if they are installed.
@Suite(.overlapping, .temporaryDirectory)
struct CompletionTests {
  /// The candidates of bash at the end of `line`, after the script's `compopt` calls.
  private func offered(_ line: String, _ bench: ShellFixture) throws -> [String] {
    let script = """
      eval "$("$1" completion bash)"
      compopt() { echo "compopt $*"; }
      COMP_LINE=$2 COMP_POINT=${#2}
      _followspot "$1"
      [[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try bench.shell.run(["-c", script, "bash", Shell.program, line], program: "/bin/bash")
    #expect(outcome.errors == "", "\(line)")
    return outcome.lines
  }

  @Test(arguments: [
    ("followspot sea", ["search"]),
    ("followspot s", ["set", "show", "status", "search", "saved", "suggest", "sql", "schema", "serve", "service"]),
    ("followspot help com", ["completion"]), ("followspot --st", ["--store"]),
    ("followspot --store ", ["compopt -o default"]),
    ("followspot search --index ", ["compopt -o dirnames"]), ("followspot import ", ["compopt -o default"]),
    ("followspot status --format ", ["text", "json"]), ("followspot status --format=j", ["json"]),
    ("followspot search --lit", ["--literal"]), ("followspot history ", ["list", "purge", "consumers"]),
    ("followspot history consumers a", ["add"]), ("followspot completion z", ["zsh"]),
    ("followspot search nothing", []), ("followspot nowhere x", []), ("followspot search --nothing", []),
    ("FOLLOWSPOT_X=1 followspot sea", ["search"]),
  ])
  func `bash offers verbs, options and choices`(_ line: String, _ expected: [String]) throws {
    #expect(try offered(line, .empty()) == expected)
  }

  @Test(arguments: [
    ("search gen", ["compopt -o nospace", "genres:"]), ("search GEN", ["compopt -o nospace", "genres:"]),
    ("search -gen", ["compopt -o nospace", "-genres:"]),
    ("search people.", ["compopt -o nospace", "people.name:", "people.role:"]),
    ("search x is:", ["isFavorite"]), ("count kind:f", ["Film"]), ("search --kind ", ["Film"]),
    ("search genres:", ["animated", "comedy", "drama", #"\"science\ fiction\""#]), ("search genres:ANIM", ["animated"]),
    ("search 'genres:com", ["genres:comedy"]), ("search \"-genres:com", ["-genres:comedy"]),
    ("search -- genres:d", ["drama"]), ("suggest genres:d", ["drama"]),
    ("search --fields title,ra", ["title,rating"]), ("search --fields=title,ra", ["title,rating"]),
    ("search --fields @i", ["@id"]), ("search title:t", []), ("search unknown:t", []),
    ("set ti", ["compopt -o nospace", "title:"]), ("set Film/p1 ti", ["compopt -o nospace", "title="]),
    ("set genres:drama ti", ["compopt -o nospace", "title=", "title:"]),
    ("set up year=2009 ra", ["compopt -o nospace", "rating="]), ("set Film/p1 title=t", []),
    ("show Fi", ["compopt -o nospace", "Film/"]), ("log fi", ["compopt -o nospace", "Film/"]),
    ("show Film/", (1...8).map { "Film/p\($0)" }), ("show film/p2", ["film/p2"]),
    ("explain Film/p1 f", []), ("show Film/x", []), ("show nothing/", []),
  ])
  func `bash offers fields, kinds, flags and values of the index`(_ words: String, _ expected: [String]) throws {
    #expect(try offered("followspot " + words, SharedFilms.bench.get()) == expected)
  }

  @Test(arguments: [
    ("studios:", [#"\"new\ line\""#, #"\"pixar\ \&\ co.\""#, #"\"role::dev\""#, #"\"walt\ disney\""#]),
    (#"studios:\"walt\ d"#, [#"\"walt\ disney\""#]),
    ("'studios:w", [#"studios:"walt disney""#]), ("studios:'\"w", [#""walt disney""#]),
    // The line editor does not write the closing mark after this one.
    (#""studios:w"#, [#"studios:\"walt disney\"""#]),
    // The line editor keeps the text before the last colon, so that no quotation mark can be put before it.
    ("studios:role::", []), (#"studios:\"role::"#, [#"dev\""#]), ("'studios:role::", [#"studios:"role::dev""#]),
    ("studios:$'w", []), ("studios:w$(", []), ("\"studios:w`", []), ("studios:w\\$", []),
  ])
  func `values of several words are quoted for the query and for the shell`(
    _ word: String, _ expected: [String]
  ) throws {
    let records = #"{"title": "A", "studios": ["Walt Disney", "Pixar & Co.", "role::dev", "new\nline"]}"# + "\n"
    let bench = try ShellFixture(records)
    // A line end in a value is a space.
    #expect(try offered("followspot search " + word, bench) == expected)
  }

  @Test(arguments: [
    ("show b", ["compopt -o nospace", "book/"]), ("show BO", ["compopt -o nospace", "book/"]),
    ("show book/", ["book/2", "book/22", "book/-5"]), ("show book/2", ["book/2", "book/22"]), ("show book/3", []),
    ("show book/2 book/22", ["book/22"]), ("show Book/22", ["Book/22"]), ("show book/p", []),
    ("show crs/EP", [#"crs/EPSG:4326"#, #"crs/EPSG:3857"#]), ("show crs/EPSG:4", ["4326"]), ("show crs/E%", []),
    ("show crs/a", ["crs/a%20b:%31"]), ("show crs/a%2", ["crs/a%20b:%31"]), ("show crs/a%20b:", ["%31"]),
    ("show hash/0x0", ["hash/0x00ff"]), ("explain book/2", ["book/2", "book/22"]),
    ("explain book/2 ti", ["compopt -o nospace", "title:"]),
    ("log book/22", ["book/22"]), ("log boo", ["compopt -o nospace", "book/"]),
    ("log ti", ["compopt -o nospace", "title:"]),
  ])
  func `bash offers the keys of an ordinary database`(_ words: String, _ expected: [String]) throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
      INSERT INTO book VALUES (2, 'a'), (22, 'b'), (-5, 'c');
      CREATE TABLE crs (auth TEXT, code, title TEXT, PRIMARY KEY (auth, code)) WITHOUT ROWID;
      INSERT INTO crs VALUES ('EPSG', 4326, 'x'), ('EPSG', 3857, 'y'), ('a b', '1', 'z');
      CREATE TABLE hash (id BLOB PRIMARY KEY, title TEXT) WITHOUT ROWID;
      INSERT INTO hash VALUES (x'00ff', 'w');
      """)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try Set(offered("followspot " + words, bench)) == Set(expected))
  }

  @Test func `candidates come from the store and the index that the line names`() throws {
    let bench = try ShellFixture()
    var elsewhere = bench
    elsewhere.shell.environment["FOLLOWSPOT_STORE"] = nil
    #expect(try offered("followspot search gen", elsewhere) == [])
    #expect(
      try offered("followspot --store \(bench.store) search gen", elsewhere) == ["compopt -o nospace", "genres:"])
    #expect(try offered("followspot search --store=\(bench.store) --index none gen", elsewhere) == [])
    #expect(try offered("followspot search --store \(bench.store) --index none kind:", elsewhere) == ["Film"])
    #expect(try offered("followspot search --store \(bench.store) --index none --kind ", elsewhere) == ["Film"])
  }

  @Test func `names of stores and of groups are offered`() throws {
    let empty = ShellFixture.empty()
    var bench = empty
    bench.shell.environment["XDG_CONFIG_HOME"] = bench.directory.file("settings")
    try FileManager.default.createDirectory(
      atPath: bench.directory.file("settings/followspot"), withIntermediateDirectories: true)
    _ = try bench.directory.write(
      "[store \"films\"]\npath = /films.store\n[store \"photos\"]\npath = /photos.store\n"
        + "[group \"all\"]\nstores = films, photos\n", to: "settings/followspot/config")
    #expect(
      try offered("followspot --store ", bench) == ["compopt -o default", "films", "photos", "all"])
  }

  @Test func `every verb and every option is offered`() throws {
    let bench = ShellFixture.empty()
    let overview = try bench.shell.run("help").output
    let verbs = overview.split(separator: "\n").drop { $0 != "Verbs:" }.dropFirst().prefix { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(verbs.count >= 20)
    #expect(try offered("followspot ", bench) == verbs)
    for verb in verbs {
      let help = try bench.shell.run("help", verb).lines
      let options = help.drop { $0 != "Options:" }.dropFirst().compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
      #expect(try offered("followspot \(verb) -", bench) == options, "\(verb)")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the shell accepts its completion script`(_ name: String) throws {
    let bench = try ShellFixture()
    let script = try bench.shell.succeed("completion", name)
    guard
      let program = ["/bin/", "/usr/bin/", "/usr/local/bin/"].map({ $0 + name }).first(
        where: FileManager.default.isExecutableFile)
    else {
      print("The script for \(name) is not run: \(name) is not installed.")
      return
    }
    let file = try bench.directory.write(script.output, to: "completion")
    var shell = bench.shell
    // fish keeps a directory here, otherwise in the temporary one.
    shell.environment["XDG_RUNTIME_DIR"] = bench.directory.path
    let checked = try shell.run(["-n", file], program: program)
    #expect(checked.code == 0 && checked.errors == "", "\(checked)")
    guard name == "fish" else { return }
    shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
    shell.environment["HOME"] = bench.directory.path
    let offered = try shell.run(
      ["-N", "-c", "source \(file); complete -C 'followspot search genres:an'"], program: program)
    #expect(offered.output == "genres:animated\n", "\(offered)")
  }

  @Test func `completion errors are not written into the command line`() throws {
    let bench = try ShellFixture()
    _ = try bench.directory.write("no index", to: "films.store.index/XAPIANDB")
    #expect(try offered("followspot search gen", bench) == [])
    #expect(try offered("followspot search 'gen\"", bench) == [])
    #expect(try bench.shell.run("__complete").code == 2)
    #expect(
      try bench.shell.run("completion", "tcsh").errors
        == "followspot: completion takes bash, zsh or fish\nhint: followspot help completion\n")
  }
}
