// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Terminal screens, compared with the reviewed texts in `Screens`. After an intended change,
/// FOLLOWSPOT_RECORD_SCREENS=1 writes new texts, which need a new review.
@Suite(
  .serialized, .overlapping, .temporaryDirectory,
  .enabled(if: Screen.isThere, "screens are not shown: there is no \(Screen.program)"))
struct ScreenTests {
  private let directory = TemporaryDirectory()

  private static let commands = [
    "followspot search toy",
    "followspot search toy -n 2 --offset 2 --scores",
    "followspot search 'director john' --all -n 4",
    "followspot search ocean fish -n 3 --section-by rated",
    "followspot search 'genres:comedy' --sort rated,released:desc -n 5 --fields title,rated,released,people.name",
    "followspot search incredibles --facet rated",
    "followspot search toy --ofset 2",
    "followspot count '*' --by rated",
    "followspot suggest mon",
    "followspot status",
    "followspot history",
    "followspot explain Film/p1 toy story released:1990..1999 -robot",
    "followspot explain Film/p2 --all toy",
    "followspot set Film/p2 isFavorite:=true --author me",
    "followspot search bug",
    "followspot search bug --index-only",
    "followspot status",
    "followspot wait --timeout 10ms",
  ]

  private static let notes = #"""
    {"name": "How the toys came to be", "text": "The first film was to be half an hour long and shown at Christmas. The studio wanted a toy that a child would believe in, and so a tin drummer became a space ranger, and a ventriloquist's dummy became a cowboy.", "about": "Toy Story"}
    {"name": "Water", "text": "Fish do not blink. For the ocean the animators went diving, and learnt that light comes from above and nothing that floats is ever still; so every blade of grass sways, every fish drifts, and the camera, too, hangs in the current.", "about": "Finding Nemo"}

    """#

  @Test(arguments: [60, 80, 140])
  func `each screen equals its reviewed text`(_ columns: Int) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Screens/\(columns).txt")
    let bench = ShellFixture(directory: directory, shell: try shell(in: directory))
    let screen = Screen(columns: columns, bench: bench)
    let shown = try Self.commands.map { command in
      neutral("$ \(command)\n" + (try screen.lines(after: command)).map { $0 + "\n" }.joined())
    }
    let text = shown.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["FOLLOWSPOT_RECORD_SCREENS"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    let wanted = try String(contentsOf: file, encoding: .utf8)
    for (screen, good) in zip(shown, wanted.components(separatedBy: "\n$ ")) {
      let good = (good.hasPrefix("$ ") ? good : "$ " + good).trimmingCharacters(in: .newlines)
      #expect(screen.trimmingCharacters(in: .newlines) == good, "at \(columns) columns")
    }
    #expect(text == wanted, "at \(columns) columns")
  }

  /// A store of films and notes, saved by two authors on one day, without an index.
  private func shell(in directory: TemporaryDirectory) throws -> Shell {
    var shell = Shell(in: directory)
    // The paths are short and the same in every run.
    shell.environment["FOLLOWSPOT_STORE"] = "pixar.store"
    shell.environment["FOLLOWSPOT_PAGER"] = ""
    let films = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/FollowspotCLI/Tour/pixar-films.jsonl")
    for command in [
      ["import", films.path, "--kind", "Film", "--key", "title", "--author", "tour"],
      ["import", try directory.write(Self.notes, to: "notes.jsonl"), "--kind", "Note", "--author", "tour"],
      ["set", "Film/p9", "isFavorite:=true", "--author", "projectionist"],
      ["delete", "Film/p12", "--author", "projectionist"],
    ] {
      let outcome = try shell.run(command)
      try #require(outcome.code == 0, "\(outcome)")
    }
    let bench = ShellFixture(directory: directory, shell: shell)
    try bench.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = 700000000 + 60 * Z_PK", in: "pixar.store")
    return shell
  }

  /// The text with placeholders for words that differ between runs. A line can break between a number and its unit.
  private func neutral(_ text: String) -> String {
    text.replacing(/in \d+(\s)ms/) { "in N\($0.1)ms" }.replacing(/\d+\.\d(\s)seconds/) { "N\($0.1)seconds" }
      .replacing(/\d+(\s)seconds?(\s)(old|ago)/) { "N\($0.1)seconds\($0.2)\($0.3)" }
      .replacing(/\d+(\.\d)?(\s)(bytes|KiB|MiB)/) { "N\($0.2)KiB" }.replacing(/\d+\.\d{3}/, with: "S.SSS")
  }
}
