// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Stores that are named in the configuration.
@Suite(.overlapping, .temporaryDirectory)
struct ConfigurationTests {
  /// A store with `text` as the configuration of its shell, and without the environment variable of the store.
  private func fixture(_ text: String?) throws -> ShellFixture {
    var bench = try ShellFixture()
    bench.shell.environment["FOLLOWSPOT_STORE"] = nil
    bench.shell.environment["HOME"] = bench.directory.path
    bench.shell.environment["XDG_CONFIG_HOME"] = bench.directory.file("settings")
    if let text {
      try FileManager.default.createDirectory(
        atPath: bench.directory.file("settings/followspot"), withIntermediateDirectories: true)
      _ = try bench.directory.write(text, to: "settings/followspot/config")
    }
    return bench
  }

  @Test func `the store comes from the option, then the environment, then the configured default`() throws {
    let text = """
      # Comments, blank lines and blanks around names do not count.

      [default]
        store = films
      ; Two stores.
      [ Store "films" ]
      path=~/films.store
      [store other]
        path = "~/nowhere.store"
      """
    let bench = try fixture(text)
    let expected = "Film/p4\t0.000\tUp\n"
    #expect(try bench.shell.run("search", "year:2009").output == expected)
    #expect(try bench.shell.run("--store", "films", "search", "year:2009").output == expected)
    let other = try bench.shell.run("--store", "other", "search", "year:2009")
    #expect(other.code == 3)
    #expect(other.errors.hasPrefix("followspot: no store at \(bench.directory.file("nowhere.store"))\n"))
    var named = bench
    named.shell.environment["FOLLOWSPOT_STORE"] = "other"
    #expect(try named.shell.run("search", "year:2009").code == 3)
    #expect(try named.shell.run("--store", "films", "search", "year:2009").output == expected)
    // A file with this name takes precedence, and a path is never a configured name.
    _ = try bench.directory.write("no store", to: "films")
    #expect(try bench.shell.run("--store", "films", "search", "x").code == 2)
    #expect(
      try bench.shell.run("--store", "./other", "search", "x").errors.hasPrefix("followspot: no store at ./other\n"))
  }

  @Test func `a pipe instead of the file is refused, and nobody waits for it`() throws {
    let bench = try fixture("")
    let file = bench.directory.file("settings/followspot/config")
    unlink(file)
    try #require(mkfifo(file, 0o600) == 0)
    let running = try bench.shell.start(["--store", "films", "search", "year:2009"])
    let hasEnded = eventually(within: 30) { !running.isRunning }
    #expect(hasEnded)
    let outcome = hasEnded ? running.wait() : running.end(SIGKILL)
    #expect(outcome.code == 2, "\(outcome)")
    #expect(
      outcome.errors == "followspot: \(file) is not a regular file\nhint: replace it with a text file\n", "\(outcome)")
  }

  @Test func `index and definition come from the profile unless options name others`() throws {
    let text = """
      [store "films"]
      path = ~/films.store
      index = ~/else.index
      definition = ~/definition.json
      [default]
      store = films
      """
    let bench = try fixture(text)
    let definition = #"{"entities": {"Film": {"title": "title", "fields": [{"name": "title", "roles": ["text"]}]}}}"#
    _ = try bench.directory.write(definition, to: "definition.json")
    #expect(
      try bench.shell.run("search", "toy").errors.hasPrefix(
        "followspot: no index at \(bench.directory.file("else.index"))\n"))
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "toy").output == "2\n")
    #expect(try bench.shell.run("count", "cowboy").output == "0\n")
    #expect(try bench.shell.run("--index", bench.index, "count", "cowboy").output == "2\n")
    #expect(try bench.shell.run("--store", bench.store, "count", "cowboy").output == "2\n")
    var named = bench
    named.shell.environment["FOLLOWSPOT_INDEX"] = bench.index
    #expect(try named.shell.run("count", "cowboy").output == "2\n")
    // Only verbs that index read the definition. `set` therefore does not report a broken one.
    _ = try bench.directory.write("broken", to: "definition.json")
    #expect(try bench.shell.run("rebuild").code == 2)
    #expect(try bench.shell.run("set", "Film/p1", "year=1996").code == 0)
  }

  @Test func `config prints the stores and marks the default with a star`() throws {
    let text = """
      [store "films"]
      path = /a/films.store
      [store "shots"]
      path = /a/shots.store
      index = /b/shots
      definition = /c/shots.json
      [default]
      store = shots
      """
    let bench = try fixture(text)
    let file = bench.directory.file("settings/followspot/config")
    #expect(
      try bench.shell.run("config").output
        == "    films  /a/films.store\n  * shots  /a/shots.store, index /b/shots, definition /c/shots.json\n")
    #expect(
      try bench.shell.run("config", "list", "--format", "json").output == """
        {"format":2,"file":"\(file)","exists":true,"default":"shots","stores":[\
        {"name":"films","path":"/a/films.store","index":null,"definition":null},\
        {"name":"shots","path":"/a/shots.store","index":"/b/shots","definition":"/c/shots.json"}],"groups":[]}

        """)
    #expect(try bench.shell.run("config", "path").output == file + "\n")
    var home = bench
    home.shell.environment["XDG_CONFIG_HOME"] = "not/absolute"
    #expect(try home.shell.run("config", "path").output == bench.directory.file(".config/followspot/config") + "\n")
    let none = try home.shell.succeed("config")
    #expect(none.output == "")
    #expect(none.errors == "followspot: \(bench.directory.file(".config/followspot/config")) does not exist\n")
    home.shell.environment["HOME"] = nil
    #expect(try home.shell.run("config", "path").code == 2)
    #expect(
      try home.shell.run("config", "get").errors
        == "followspot: config has no subcommand 'get'\nhint: followspot help config\n"
    )
  }

  @Test(arguments: [
    ("path = /x", 1, "path must be inside a section"), ("[store]", 1, "there is no section '[store]'"),
    ("[shop \"a\"]", 1, "there is no section '[shop \"a\"]'"),
    ("[store \"a\"\npath = /x", 1, "the section's ] is missing"),
    ("[store \"a\"]\npath = /x\npath = /y", 3, "path is repeated in its section"),
    ("[store \"a\"]\npath = /x\n[store \"a\"]", 3, "there are two stores \"a\""),
    ("[store \"a\"]\n\nindex = /x", 1, "the store \"a\" has no path"),
    ("[store \"a/b\"]", 1, "'a/b' is not a valid name"),
    ("[store \"a\"]\npath = x.store", 2, "the path 'x.store' depends on where it is used"),
    ("[store \"a\"]\nparth = /x", 2, "a store has no 'parth'"), ("[default]\npath = /x", 2, "[default] has no 'path'"),
    ("[store \"a\"]\npath = \"/x", 2, "a quotation mark is missing"), ("\n\nwhatever", 3, "'whatever' is neither"),
    (
      "[store \"films\"]\npath = /x\n[default]\nstore = flims", 4,
      "there is no store \"flims\"\nhint: did you mean films?"
    ),
    ("[store \"a\"]\npath = /x\n[group \"a\"]\nstores = a", 3, "\"a\" is the name of a store and of a group"),
    ("[group \"a\"]\nstores = b\n[group \"b\"]\nstores = a", 1, "\"b\" is a group, not a store"),
    ("[group \"a\"]\nstores = a", 1, "\"a\" is a group, not a store"),
    ("[group \"a\"]\nstores = ,", 1, "the group \"a\" has no stores"),
    ("[group \"a\"]\nstores = b, b\n[store \"b\"]\npath = /x", 1, "the group \"a\" names the store \"b\" twice"),
    ("[group \"a\"]\nstores = bb\n[store \"b\"]\npath = /x", 1, "there is no store \"bb\"\nhint: did you mean b?"),
    ("[group \"a\"]\npath = /x", 2, "a group has no 'path'"),
    ("[group \"a\"]\nstores = b\n[default]\nstore = a", 1, "there is no store \"b\""),
    ("[store \"\u{1b}[31m\"]", 1, "the store \"\\u{1B}[31m\" has no path"),
  ])
  func `an error names the file and the line`(_ text: String, _ line: Int, _ message: String) throws {
    let bench = try fixture(text)
    let file = bench.directory.file("settings/followspot/config")
    for arguments in [["search", "x"], ["config"], ["status", "--store", "name"]] {
      let outcome = try bench.shell.run(arguments)
      #expect(outcome.code == 2, "\(arguments)")
      #expect(outcome.errors.hasPrefix("followspot: \(file), line \(line): \(message)"), "\(outcome)")
    }
    // If the store is named by its path, the configuration is not needed.
    #expect(try bench.shell.run("--store", bench.store, "count", "*").code == 0)
    #expect(try bench.shell.run("config", "path").output == file + "\n")
  }

  @Test func `a mistake in one entry leaves the other stores usable`() throws {
    let text = """
      [default]
      store = films
      [store "relative"]
      path = films.store
      [store "films"]
      path = ~/films.store
      [shop "shots"]
      path = /a/shots.store
      """
    let bench = try fixture(text)
    #expect(try bench.shell.run("count", "*").output == "8\n")
    #expect(try bench.shell.run("count", "*", "--store", "films").output == "8\n")
    #expect(try bench.shell.run("__complete", "bash", "followspot search gen").output == "open\ngenres:\n")
    let problem = "line 4: the path 'films.store' depends on where it is used\n"
    #expect(try bench.shell.run("count", "*", "--store", "relative").errors.contains(problem))
    #expect(try bench.shell.run("count", "*", "--store", "shots").errors.contains(problem))
    let listed = try bench.shell.run("config")
    #expect(listed.code == 2)
    #expect(listed.output.contains("  * films"), "\(listed)")
    #expect(listed.errors.contains(problem), "\(listed)")
    #expect(try bench.shell.run("doctor").output.contains(problem))
  }

  @Test func `a configuration that is not a text file has its own error`() throws {
    let bench = try fixture(nil)
    let unnamed = try bench.shell.run("search", "x")
    #expect(unnamed.code == 2)
    #expect(unnamed.errors.hasPrefix("followspot: no store is named\nhint: --store FILE"))
    try FileManager.default.createDirectory(
      atPath: bench.directory.file("settings/followspot/config"), withIntermediateDirectories: true)
    let file = bench.directory.file("settings/followspot/config")
    #expect(try bench.shell.run("search", "x").errors == "followspot: \(file) is a directory\n")
  }

  @Test func `a store that is named by its path needs no configuration`() throws {
    let bench = try fixture(nil)
    // A directory cannot be read as a file, not even by root.
    try FileManager.default.createDirectory(
      atPath: bench.directory.file("settings/followspot/config"), withIntermediateDirectories: true)
    for verb in [["index"], ["status"], ["count", "toy"], ["search", "toy"], ["verify"]] {
      let outcome = try bench.shell.run(["--store", bench.store] + verb)
      #expect(outcome.code == 0, "\(verb): \(outcome)")
    }
    #expect(try bench.shell.run("--store", "films", "status").code == 2)
  }

  @Test func `names of stores are completed`() throws {
    let bench = try fixture("[store \"films\"]\npath = ~/films.store\n[default]\nstore = films")
    #expect(try bench.shell.run("__complete", "bash", "followspot --store f").output == "files\nfilms\n")
    #expect(try bench.shell.run("__complete", "bash", "followspot search gen").output == "open\ngenres:\n")
  }
}
