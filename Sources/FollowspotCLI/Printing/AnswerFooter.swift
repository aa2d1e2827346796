// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

/// What is said below the hits. On a terminal: the number of hits, the age of the answer, and how to see more hits.
/// Elsewhere: that the answer has more hits than are printed.
struct AnswerFooter {
  let result: SearchResult
  let request: SearchRequest
  let took: Duration

  init(_ result: SearchResult, of request: SearchRequest, took: Duration) {
    (self.result, self.request, self.took) = (result, request, took)
  }

  func print() {
    Console.note("\(count) in \(Int(took / .milliseconds(1))) ms, \(age)")
    if let next { Console.note("Next page: --offset \(next)") }
  }

  /// Says in one line which part of the matches is printed, if it is not all of them.
  func sayRest() {
    guard next != nil else { return }
    let all = (result.estimated > Ranker.exactUpTo ? "about " : "") + NumberText.grouped(result.estimated)
    let last = NumberText.grouped(request.offset + result.hits.count)
    let shown = request.offset == 0 ? last : "\(NumberText.grouped(request.offset + 1)) to \(last)"
    Console.say("\(shown) of \(all); -n 0 prints \(request.offset == 0 ? "all" : "the rest")")
  }

  /// The offset of the first hit after the printed ones; nil if there is none.
  private var next: Int? {
    let next = request.offset + (request.limit ?? result.hits.count)
    let listed = result.estimated - result.folded.reduce(0) { $0 + $1.records }
    return !result.hits.isEmpty && next < listed ? next : nil
  }

  private var count: String {
    let (shown, all, first) = (result.hits.count, result.estimated, request.offset + 1)
    switch shown {
    case 0: return "no records"
    case 1 where first > 1: return "record \(first) of \(all)"
    case _ where first > 1: return "records \(first) to \(request.offset + shown) of \(all)"
    default: return shown < all ? "\(shown) of \(all) records" : HumanText.count(shown, "record")
    }
  }

  private var age: String {
    let states = result.stores.map(\.index)
    // Of a group, the oldest part counts.
    let index = states.max { $0.lagSeconds ?? .infinity < $1.lagSeconds ?? .infinity } ?? result.index
    guard let isNewest = index.isNewest, let seconds = index.lagSeconds else { return "perhaps out of date" }
    return isNewest ? "up to date" : "as of \(HumanText.duration(max(1, seconds))) ago"
  }
}
