// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// The real program finds words by any part of them, and prefers the accents of a query.
@Suite(.overlapping, .temporaryDirectory)
struct WordPartTests {
  private static let records = """
    {"title": "A recipe", "code": "p676193388", "shelf": {"cipher": "plain"}, "tags": ["kitchen", "Fantastarte"]}
    {"title": "Cipher", "code": "q12", "shelf": {"name": "Principal"}, "tags": ["Fantasta"]}
    {"title": "Other", "code": "x6193", "shelf": null, "tags": []}

    """

  @Test func `a part of a word finds the words that contain it`() throws {
    let bench = try ShellFixture(Self.records)
    let cases: [(String, [String])] = [
      ("*cip*", ["A recipe", "Cipher"]), ("title:*cip*", ["A recipe", "Cipher"]), ("title:*cipe", ["A recipe"]),
      ("*6193*", ["A recipe", "Other"]), ("code:*6193*", ["A recipe", "Other"]), ("*asta", ["Cipher"]),
      ("*asta*", ["A recipe", "Cipher"]), ("tags:*ASTA*", ["A recipe", "Cipher"]), ("shelf:*cip*", ["Cipher"]),
      ("shelf.name:*cip*", ["Cipher"]), ("*cip* -*incip*", ["A recipe"]), ("*cip* AND *193*", ["A recipe"]),
    ]
    func expect() throws {
      for (query, titles) in cases {
        #expect(try bench.titles(query).sorted() == titles, "\(query)")
        #expect(try bench.shell.run("count", "--", query).output == "\(titles.count)\n", "\(query)")
      }
      #expect(try bench.shell.run("search", "*cip*").errors == "")
    }
    try expect()
    let explained = try bench.shell.run("explain", "Film/p1", "*cip*")
    #expect(explained.code == 0 && explained.output.contains("title"), "\(explained)")
    let facets = try bench.shell.run("count", "*asta*", "--by", "tags")
    #expect(facets.output.contains("Fantastarte"), "\(facets)")
    // A changed record is found by the same rule before it is indexed.
    #expect(try bench.shell.run("set", "Film/p3", "title=Discipline").code == 0)
    #expect(try bench.shell.run("set", "Film/p2", "title=Nothing").code == 0)
    #expect(try bench.titles("title:*cip*").sorted() == ["A recipe", "Discipline"])
    #expect(try bench.titles("title:*sciplin*") == ["Discipline"])
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.titles("title:*cip*").sorted() == ["A recipe", "Discipline"])
  }

  @Test func `a saved search of a part of a word reports changes`() throws {
    let bench = try ShellFixture(Self.records)
    #expect(try bench.shell.run("saved", "add", "parts", "*cip*").code == 0)
    #expect(try bench.shell.run("saved", "watch", "--once", "parts").code <= 1)
    #expect(try bench.shell.run("set", "Film/p3", "title=Discipline").code == 0)
    let checked = try bench.shell.run("saved", "watch", "--once", "parts")
    #expect(checked.output.contains("Discipline"), "\(checked)")
  }

  @Test func `records with the accents of the query come first`() throws {
    let titles = ["Cafe", "The cafe", "Cafe cafe", "Café au lait", "Visit to the CAFÉ", "“Cafés” of Rome"]
    let lines = titles.map { "{\"title\": \"\($0)\", \"plot\": \"-\"}\n" }.joined()
    let others = """
      {"title": "Sights", "plot": "See the cafe\u{301} there."}
      {"title": "Muller, Mühlbach", "plot": "-"}
      {"title": "Herr Müller", "plot": "-"}

      """
    let bench = try ShellFixture(lines + others)
    let typed = try bench.titles("café")
    #expect(Set(typed.prefix(4)) == ["Café au lait", "Visit to the CAFÉ", titles[5], "Sights"], "\(typed)")
    #expect(typed.count == 7)
    #expect(try bench.titles("cafe").first == "Cafe")
    #expect(try bench.titles("Müller") == ["Herr Müller", "Muller, Mühlbach"])
    #expect(try bench.titles("\"visit to the café\"") == ["Visit to the CAFÉ"])
    let explained = try bench.shell.run("explain", "Film/p4", "café")
    #expect(explained.output.contains("the same accents"), "\(explained)")
  }

  @Test func `records without a word do not follow because of its accents`() throws {
    let records = """
      {"title": "Harbour", "plot": "The old harbour town has a lighthouse and a small chapel."}
      {"title": "Menu", "plot": "A café, and no more."}
      {"title": "Chapel", "plot": "The chapel of the cafe."}

      """
    let bench = try ShellFixture(records)
    #expect(try bench.titles("café harbour lighthouse chapel").first == "Harbour")
    #expect(try bench.titles("café chapel").first == "Chapel")
    #expect(try bench.titles("café").first == "Menu")
  }
}
