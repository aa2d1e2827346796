// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Queries as people know them from other programs.
@Suite(.overlapping, .temporaryDirectory)
struct FamiliarQueryTests {
  @Test func `forms of other programs are understood`() throws {
    let bench = try ShellFixture()
    for (query, titles) in [
      ("cowboy !doll", ["Toy Story 2"]), ("collector|robot", ["Toy Story 2", "WALL-E"]),
      ("cowboy~", ["Toy Story", "Toy Story 2"]),
      ("released:31.12.1995", ["The Seed"]), ("released:19951231", ["The Seed"]), ("space:ranger", ["Toy Story"]),
      ("toy !title:2", ["Toy Story"]), ("released:\"last week\"", []),
    ] {
      let outcome = try bench.shell.run("search", "--all", "--format", "tsv", "--fields", "title", "--", query)
      #expect(outcome.code == (titles.isEmpty ? 1 : 0), "\(query): \(outcome)")
      #expect(outcome.lines.sorted() == titles.sorted(), "\(query): \(outcome)")
    }
    let words = try bench.shell.run("search", "space:ranger")
    #expect(words.errors == "followspot: no field is named 'space': 'space:ranger' is searched as words\n")
    let strict = try bench.shell.run("set", "space:ranger", "year=1")
    #expect(strict.code == 2, "\(strict)")
    #expect(try bench.shell.run("set", "!toy", "year=1").code == 2)
    let columns = ["--format", "tsv", "--fields", "title"]
    let sorted = try bench.shell.run(["search", "*", "--sort", "-year"] + columns)
    let descending = try bench.shell.run(["search", "*", "--sort", "year:desc"] + columns)
    #expect(sorted.code == 0 && sorted.output == descending.output)
  }

  @Test func `a column of 0 and 1 is a flag`() throws {
    let bench = try ShellFixture("{\"title\": \"one\", \"read\": 1}\n{\"title\": \"two\", \"read\": 0}\n")
    for (query, titles) in [
      ("is:read", ["one"]), ("read:true", ["one"]), ("read:false", ["two"]), ("-is:read", ["two"]),
      ("read:1", ["one"]),
    ] {
      #expect(try bench.titles(query) == titles, "\(query)")
    }
  }

  @Test func `numbers other than 0 and 1 are not a flag`() throws {
    let bench = try ShellFixture("{\"title\": \"one\", \"read\": 1}\n{\"title\": \"two\", \"read\": 2}\n")
    let refused = try bench.shell.run("search", "is:read")
    #expect(refused.code == 2, "\(refused)")
    #expect(refused.errors.contains("read is not a flag: it has other numbers than 0 and 1"), "\(refused)")
    #expect(refused.errors.contains("\nhint: read:1, read:>0 or has:read\n"), "\(refused)")
    // Changes that are not indexed count.
    #expect(try bench.shell.run("set", "Film/p2", "read=0").code == 0)
    #expect(try bench.titles("is:read") == ["one"])
  }

  @Test(arguments: [
    ("sender", "from:anna"), ("author_name", "from:anna"), ("from", "from:anna"), ("fromAddress", "from:\"anna b\""),
  ])
  func `from means the field of senders`(_ field: String, _ query: String) throws {
    let lines = "{\"title\": \"bob\", \"\(field)\": \"Anna B\"}\n{\"title\": \"anna\", \"\(field)\": \"Bob\"}\n"
    let bench = try ShellFixture(lines)
    #expect(try bench.titles(query) == ["bob"])
    #expect(try bench.titles("-" + query) == ["anna"])
  }

  @Test func `from without a field of senders is refused`() throws {
    let bench = try ShellFixture()
    let refused = try bench.shell.run("search", "from:anna")
    #expect(refused.code == 2, "\(refused)")
    #expect(refused.errors.contains("no field is named 'from', 'sender' or 'author'"), "\(refused)")
    #expect(refused.errors.contains("\nhint: known names: ") && refused.errors.contains("title"), "\(refused)")
    let help = try bench.shell.run("help", "query").output
    for form in ["from:anna", "is:read", "apache|nginx", "!toy", "*cip*", "17.05.2023", "\"last week\""] {
      #expect(help.contains(form), "\(form)")
    }
  }

  @Test func `an address is searched as words`() throws {
    let address = "https://www.debian.org/pkg/zlib"
    let bench = try ShellFixture(
      "{\"title\": \"zlib\", \"homepage\": \"\(address)\"}\n{\"title\": \"std::string in C++\"}\n")
    #expect(try bench.titles(address) == ["zlib"])
    #expect(try bench.titles("std::string") == ["std::string in C++"])
    #expect(try bench.titles("C++") == ["std::string in C++"])
  }
}
