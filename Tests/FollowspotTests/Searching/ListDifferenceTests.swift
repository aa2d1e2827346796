// SPDX-License-Identifier: MIT

import Followspot
import TestSupport
import Testing

/// What turns one list of hits into another.
struct ListDifferenceTests {
  private func applied(_ difference: ListDifference, to old: [String], _ new: [String]) -> [String] {
    var list = old
    for position in (difference.removed + difference.moved.map(\.from)).sorted(by: >) { list.remove(at: position) }
    let added = difference.inserted.map { ($0, new[$0]) } + difference.moved.map { ($0.to, old[$0.from]) }
    for (position, text) in added.sorted(by: { $0.0 < $1.0 }) { list.insert(text, at: position) }
    return list
  }

  /// The length of the longest ascending part, by trying all parts.
  private func longest(_ numbers: [Int]) -> Int {
    (0..<(1 << numbers.count)).map { mask in
      let part = numbers.indices.filter { mask >> $0 & 1 == 1 }.map { numbers[$0] }
      return zip(part, part.dropFirst()).allSatisfy { $0 < $1 } ? part.count : 0
    }.max() ?? 0
  }

  @Test(arguments: Rounds.seeds(200, long: 5_000))
  func `the positions lead from one list to the other, with as few moves as possible`(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let all = (0..<10).map { "hit \($0)" }
    let old = Array(all.shuffled(using: &random).prefix(Int.random(in: 0...9, using: &random)))
    let new = Array(all.shuffled(using: &random).prefix(Int.random(in: 0...9, using: &random)))
    let difference = ListDifference(from: old, to: new)
    #expect(applied(difference, to: old, new) == new)
    #expect(difference.removed == old.indices.filter { !new.contains(old[$0]) })
    #expect(difference.inserted == new.indices.filter { !old.contains(new[$0]) })
    let common = new.compactMap { old.firstIndex(of: $0) }
    #expect(difference.moved.count == common.count - longest(common))
    #expect(ListDifference(from: old, to: old).isEmpty)
  }
}
