// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Long data that the store keeps in external files.
@Suite(.overlapping, .temporaryDirectory)
struct LongDataTests {
  private static let model = """
    {"entities": [{"name": "Film", "attributes": [
      {"name": "title", "type": "string", "options": ["unique"]},
      {"name": "poster", "type": "data", "optional": true, "options": ["externalStorage"]}]}]}
    """

  private static func poster(_ count: Int, _ byte: UInt8) -> String {
    Data(repeating: byte, count: count).base64EncodedString()
  }

  private static func line(_ title: String, _ poster: String) -> String {
    "{\"title\":\"\(title)\",\"poster\":\"\(poster)\"}\n"
  }

  private func shown(_ bench: ShellFixture, _ identifier: String) throws -> String? {
    let output = try bench.shell.run("show", identifier, "--format", "ndjson").output
    let record = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    return (record?["fields"] as? [String: Any])?["poster"] as? String
  }

  @Test func `import, set and show use the data itself, and the index omits it`() throws {
    let bench = ShellFixture.empty()
    let model = try bench.directory.write(Self.model, to: "model.json")
    #expect(try bench.shell.run("migrate", model).code == 0)
    let (long, other, short) = (Self.poster(150_000, 7), Self.poster(250_000, 8), Self.poster(30, 9))
    let films = try bench.directory.write(Self.line("Up", long) + Self.line("Cars", short), to: "films.jsonl")
    try bench.shell.succeed("import", films, "--kind", "Film")
    func files() throws -> Int {
      let support = try FileManager.default.contentsOfDirectory(atPath: bench.directory.path)
        .filter { $0.hasSuffix("_SUPPORT") }
      let place = bench.directory.file("\(support.first ?? "")/_EXTERNAL_DATA")
      return try FileManager.default.contentsOfDirectory(atPath: place).count
    }
    #expect(try files() == 1)
    #expect(try shown(bench, "Film/p1") == long)
    #expect(try shown(bench, "Film/p2") == short)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("search", "title:up", "--fields", "title", "--format", "tsv").lines == ["Up"])
    let again = try bench.directory.write(Self.line("Cars", other), to: "again.jsonl")
    #expect(try bench.shell.run("import", again, "--kind", "Film", "--key", "title").code == 0)
    #expect(try shown(bench, "Film/p2") == other)
    #expect(try files() == 2)
    #expect(try bench.shell.run("set", "Film/p1", "poster=\(short)").code == 0)
    #expect(try shown(bench, "Film/p1") == short)
    #expect(try files() == 1)
    #expect(try bench.shell.run("delete", "Film/p2").code == 0)
    #expect(try files() == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("verify").code == 0)
  }
}
