// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import Searching
internal import ShellInterface
internal import Watching

extension CommandDescription {
  /// Prints the result of a search, then each change of it until a stop signal. If the store or the index is missing for a
  /// moment, it waits.
  ///
  /// - Parameter print: Prints the first result as text.
  static func searchLive(
    _ call: Invocation, _ request: SearchRequest, printer: ResultPrinter, _ print: (SearchResult) throws -> Void
  ) throws -> ExitCode {
    let live = LiveSearch(request, try call.searcherBuildingIndex()) { try call.searcher() }
    let waiter = ChangeWaiter(storePath: try call.storePath())
    var isFirst = true
    var notes: [String] = []
    var failure: String?
    func show(_ events: [LiveSearch.Event], _ result: SearchResult) throws {
      if isFirst, printer.format == .text {
        try print(result)
      } else {
        for event in events { try printer.print(event) }
      }
      let isSaid = isFirst && printer.format == .text
      isFirst = false
      Console.flush()
      if failure != nil { Console.say("going on") }
      failure = nil
      if result.notes != notes, !isSaid { result.notes.forEach(Console.say) }
      notes = result.notes
    }
    do {
      while !StopSignal.isRaised {
        do {
          let (events, result) = try live.next()
          try show(events, result)
          while try !live.wait(waiter), !StopSignal.isRaised {}
        } catch let error where !isFirst && LiveSearch.passes(error) {
          let sentence = String(describing: error)
          if failure != sentence { Console.say("\(sentence); retrying until it succeeds") }
          failure = sentence
          waiter.pause()
        }
      }
    } catch let error as OperationError where error.code == .stopped {}
    return .success
  }

  /// Refuses options of `search` that have no meaning for a result that changes.
  static func checkLive(_ call: Invocation, _ format: ResultFormat?) throws {
    guard format == nil || format == .text || format == .ndjson else {
      throw CommandError("--live prints text or ndjson")
    }
    let others = [
      "--template", "--max-lag", "--facet", "--section-by", "--snippets", "--at-least", "--index-only", "--offset",
    ]
    if let other = others.first(where: call.has) {
      throw CommandError("--live and \(other) cannot be combined")
    }
  }
}

extension ResultPrinter {
  /// One change of a result: `+`, `~` or `-` and the columns, or a line of JSON.
  func print(_ event: LiveSearch.Event) throws {
    guard format == .ndjson else {
      let marker =
        switch event.kind {
        case .match, .enter: Style.added("+")
        case .change: Style.bold("~")
        case .leave: Style.removed("-")
        }
      let separator = Console.isOutputTerminal ? "  " : "\t"
      return Console.write("\(marker) " + (try cells(of: event.hit)).joined(separator: separator) + "\n")
    }
    var json = JSONWriter()
    try json.object { json in
      json.pair("event", event.kind.rawValue)
      json.pair("token", event.token)
      json.key("hit")
      try write(event.hit, to: &json)
    }
    Console.write(bytes: json.bytes + [0x0a])
  }
}
