internal import Followspot

/// The lines below the hits on a terminal: the number of hits, the age of the answer, and how to see more hits.
struct AnswerFooter {
  let result: SearchResult
  let request: SearchRequest
  let took: Duration

  func print() {
    let milliseconds = took.components.attoseconds / 1_000_000_000_000_000 + took.components.seconds * 1_000
    Console.note("\(count) in \(milliseconds) ms, \(age)")
    let next = request.offset + (request.limit ?? result.hits.count)
    if !result.hits.isEmpty, next < result.estimated { Console.note("Next page: --offset \(next)") }
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
    let index = states.first { !$0.isOfThisStore } ?? states.max { $0.lagSeconds < $1.lagSeconds } ?? result.index
    guard index.isOfThisStore else { return "perhaps out of date" }
    if index.answersAt >= index.token + index.lagTransactions { return "up to date" }
    return "as of \(HumanText.duration(max(1, index.lagSeconds))) ago"
  }
}
