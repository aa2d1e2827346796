import Foundation
import TestSupport
import Testing

/// What README says of the shell, typed as it stands.
@Suite(.timeLimit(.minutes(30)))
struct ReadmeShellTests {
  private static let heading = "### At home in the shell"

  /// The fenced blocks of the section, in their order.
  private func blocks() throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let section = try #require(readme.components(separatedBy: Self.heading + "\n").last)
    let own = section.components(separatedBy: "\n## ")[0]
    return own.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element.drop { $0 != "\n" }.dropFirst()) }
  }

  @Test func `README's commands print what README shows`() throws {
    let blocks = try blocks()
    try #require(blocks.count == 3)
    try Bench.empty { bench in
      var shell = bench.shell
      shell.environment["FOLLOWSPOT_STORE"] = nil
      shell.environment["LC_ALL"] = nil
      shell.environment["LANG"] = "C.UTF-8"
      shell.environment["HOME"] = bench.directory.path
      shell.environment["PATH"] = Shell.products + ":/usr/bin:/bin"
      try FileManager.default.createDirectory(
        atPath: bench.directory.file(".config/followspot"), withIntermediateDirectories: true)
      _ = try bench.directory.write(blocks[0], to: ".config/followspot/config")
      // The films of the quick start.
      let films = """
        {"title": "Toy Story", "year": 1995, "cast": ["Tom Hanks", "Tim Allen"], "genres": ["Animated", "Comedy"]}
        {"title": "Café Society", "year": 2016, "cast": ["Jesse Eisenberg"], "genres": ["Comedy"]}
        {"title": "Up", "year": 2009, "cast": ["Ed Asner"], "genres": ["Animated"]}
        """
      _ = try bench.directory.write(films, to: "films.jsonl")
      let store = ["--store", bench.store]
      #expect(try shell.run(store + ["import", "films.jsonl", "--kind", "Movie", "--author", "me"]).code == 0)
      #expect(try shell.run("index").code == 0)
      let printed = try shell.run(["-c", blocks[1]], program: "/bin/sh")
      #expect(printed.code == 0 && printed.errors == "", "\(printed)")
      let place = bench.directory.path
      #expect(
        neutral(printed.output.replacingOccurrences(of: place, with: "/home/me")) == neutral(blocks[2]),
        "\(printed.output)")
    }
  }

  /// What differs from machine to machine by a word, and sizes by a sign.
  private func neutral(_ text: String) -> String {
    text.replacing(/(?m)^ok    (sqlite|xapian|store file system|index file system|inotify|disk|shared memory): .*$/) {
      "ok    \($0.1): …"
    }.replacing(/[0-9]+ bytes/, with: "# bytes").replacing(/format [0-9]+/, with: "format #")
  }
}
