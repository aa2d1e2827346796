// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

struct FeedCommand: Verb {
  static let description = CommandDescription(
    name: "feed", summary: "print every change as one line of JSON, for other programs",
    details: """
      Each line has the operation (insert, update, delete), the identifier, the present row, the author and the token of
      the transaction. A feed from null begins with all records (operation snapshot). --follow then waits for changes.
      A reader that stores the value of "position" of the last line it handled, and passes it to --from, receives every
      change exactly once. With --consumer, Followspot stores the token itself when it has written the lines, and
      `history purge` keeps what the consumer has not read. One feed at a time can have a consumer. Lines that a pipe
      contains when its reader is killed are not repeated: such a reader must store the position.
      The changes of a group come in the order of their times. Each line names its store, and "position" has a position for
      each store.
      With --format bulk the lines are requests for the bulk API of OpenSearch and Elasticsearch.
      """,
    examples: [
      "followspot --store movies.store feed --from null",
      "followspot --store movies.store feed --consumer postgres --follow",
    ])

  @Option(
    "--from", "POSITION",
    "a token, the position of a line, or null for all records (default: the consumer's token, else null)")
  var from: String?
  @Option("--follow", "wait for changes until stopped") var follows: Bool
  @Option("--consumer", "NAME", "store the token under this name, and continue there the next time")
  var consumer: String?
  @Option("--kind", "ENTITY", "only changes of this entity") var kind: String?
  @Option("--author", "NAME", "only transactions by this author") var author: String?
  @Option("--related", "add the identifiers of related records") var hasRelated: Bool
  @Option("-n", "N", "stop after N lines", atLeast: 1) var limit: Int?
  @Option("--format", "FORMAT") var format: FeedPrinter.Format?

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    if consumer != nil, limit != nil { throw CommandError("--consumer and -n cannot be combined") }
    let calls = try call.callsWithHistory()
    let filter = ChangeFeed.Filter(kind: kind, author: author, mayLackKind: calls.count > 1)
    let feeds = try calls.map { call in
      let directory = try call.indexDirectory()
      return (
        name: call.member, feed: try ChangeFeed(storePath: call.storePath(), directory: directory, filter: filter)
      )
    }
    if let kind, !feeds.contains(where: \.feed.hasKind) {
      throw CommandError("no store of the group has the entity \(kind)")
    }
    let feed = MergedFeed(feeds)
    let locks = try consumer.map { try feed.lock(consumer: $0) }
    defer { withExtendedLifetime(locks) {} }
    if from == nil, let consumer { try feed.start(atConsumer: consumer) }
    try feed.start(at: start())
    // Where the consumer is registered.
    var moved = from == nil ? feed.position : nil
    var left = limit
    let waiter = follows ? ChangeWaiter(storePaths: try calls.map { try $0.storePath() }) : nil
    let printer = FeedPrinter(format: format ?? .ndjson, hasRelated: hasRelated)
    var count = 0
    var said: String?
    do {
      while true {
        do {
          let hasMore = try feed.advance(limit: left) { item in
            try printer.print(item)
            count += 1
            left? -= 1
          }
          Console.flush()
          if let consumer, feed.position != nil, feed.position != moved {
            try feed.move(consumer: consumer)
            moved = feed.position
          }
          said = nil
          if left == 0 { break }
          guard !hasMore else { continue }
          guard let waiter, !StopSignal.isRaised else { break }
          try feed.wait(waiter)
        } catch let error as StoreError where error.passesByItself {
          guard let waiter, feed.position != nil, !StopSignal.isRaised else { throw error }
          if said != error.description { Console.say(error.description) }
          said = error.description
          waiter.pause()
        }
      }
    } catch let error as OperationError where error.code == .stopped && waiter != nil {
      return .success
    }
    return count > 0 || waiter != nil ? .success : .negative
  }

  /// nil for `null`, or if the option is missing.
  private func start() throws -> FeedPositions? {
    guard let from, from != "null" else { return nil }
    if let position = FeedPositions(from) { return position }
    throw CommandError("--from takes a token, the position of a line of the feed, or null, not '\(from)'")
  }
}
