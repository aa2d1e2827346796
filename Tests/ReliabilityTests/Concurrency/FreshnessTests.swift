// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SearchIndex
import TestSupport
import Testing

/// The next answer contains what another process saved: with a follower, without one, and while one starts and ends.
@Suite(.serialized, .overlapping(minutes: 60), .temporaryDirectory)
struct FreshnessTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: Rounds.seeds(1, long: 4))
  func `no answer is older than the last save of another process`(seed: Int) throws {
    let shell = Shell(in: directory)
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let first = try shell.run(
      "import", "-", "--kind", "Film", "--input-format", "jsonl", input: #"{"title":"word0","plot":"first"}"# + "\n")
    #expect(first.code == 0, "\(first)")
    #expect(try shell.run("index").code == 0)
    let index = IndexDirectory(path: directory.file("films.store.index"))
    let searcher = try Searcher(storePath: directory.file("films.store"), directory: index)
    var titles = [1: "word0"]
    var (made, stale, follower) = (1, 0, Shell.Running?.none)
    let probes = Rounds.count(40, full: 120, long: 2_500)
    for probe in 1...probes {
      if number(0...29) == 0 {
        if let running = follower { _ = running.end(number(0...1) == 0 ? SIGKILL : SIGTERM) }
        follower = follower == nil ? try shell.start(["index", "--follow"]) : nil
      }
      let title = "word\(probe)"
      var gone: String?
      switch titles.isEmpty ? 0 : number(0...3) {
      case 0:
        let record = "{\"title\":\"\(title)\",\"plot\":\"new\"}\n"
        let saved = try shell.run("import", "-", "--kind", "Film", "--input-format", "jsonl", input: record)
        #expect(saved.code == 0, "\(saved)")
        made += 1
        titles[made] = title
      case 1, 2:
        guard let key = titles.keys.sorted().randomElement(using: &random) else { continue }
        gone = titles[key]
        #expect(try shell.run("set", "Film/p\(key)", "title=\(title)").code == 0)
        titles[key] = title
      default:
        guard let key = titles.keys.sorted().randomElement(using: &random) else { continue }
        gone = titles.removeValue(forKey: key)
        #expect(try shell.run("delete", "Film/p\(key)").code == 0)
      }
      var request = SearchRequest(query: title)
      request.mayApproximate = false
      let found = try searcher.search(request).hits.map(\.title)
      let isThere = titles.values.contains(title)
      let old = try gone.map { try searcher.count(SearchRequest(query: $0)).count } ?? 0
      let all = try searcher.count(SearchRequest(query: "*")).count
      if found != (isThere ? [title] : []) || old != 0 || all != titles.count {
        stale += 1
        Issue.record("probe \(probe), seed \(seed): \(found) for \(title), \(old) of \(gone ?? "-"), \(all) in all")
      }
    }
    _ = follower?.end()
    print("\(probes) probes, seed \(seed): \(stale) stale answers")
  }
}
