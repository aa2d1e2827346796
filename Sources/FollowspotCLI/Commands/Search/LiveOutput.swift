// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex

/// The output of `search --live`.
struct LiveOutput {
  private let call: Call
  private let search: any RecordSearch
  private let printer: ResultPrinter

  init(_ call: Call, _ search: any RecordSearch, _ printer: ResultPrinter) {
    (self.call, self.search, self.printer) = (call, search, printer)
  }

  /// Prints the result of a search, then each change of it until a stop signal. If the store or the index is missing for
  /// a moment, it waits.
  ///
  /// - Parameter print: Prints the first result as text.
  func run(_ request: SearchRequest, _ print: (SearchResult) throws -> Void) throws -> ExitCode {
    func open() throws -> any RecordSearch { try call.searchGroup(nil) ?? call.searcher() }
    let (reader, live) = (LiveReader(search, open: open), LiveSearch())
    let waiter = ChangeWaiter(storePaths: try reader.storePaths())
    var isFirst = true
    var (notes, missing): ([String], [String]) = ([], [])
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
      if failure != nil { Console.say("resumed") }
      failure = nil
      if result.missing.map(\.name) != missing, !isSaid { result.missing.say() }
      if result.notes != notes, !isSaid { result.notes.forEach(Console.say) }
      (notes, missing) = (result.notes, result.missing.map(\.name))
    }
    do {
      while !StopSignal.isRaised {
        do {
          try reader.begin()
          let result = try reader.search(request)
          try show(live.events(to: result), result)
          while try !reader.wait(waiter), !live.isBehind, !StopSignal.isRaised {}
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
}
