// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import Glibc
internal import SearchIndex
internal import Store

/// `status --watch`: the lag, the rates and the last transactions, read about once a second until the user ends it.
final class StatusWatch {
  private struct Sample {
    let time: ContinuousClock.Instant
    let newest: Int64
    let token: Int64
    var lag: Int { Int(clamping: max(0, newest - token)) }
  }

  private static let milliseconds: Int32 = 1_000
  /// The time over which rates are computed.
  private static let window = Duration.seconds(10)
  private static let mostSamples = 600
  private static let mostTransactions = 5

  private let storePath: String
  private let directory: IndexDirectory
  private let stopDescriptor = StopSignal.catchFromNow()
  private var samples: [Sample] = []
  /// The pause after the last reading, in milliseconds.
  private var pause = milliseconds
  private var last: (newest: Int64, groups: [NeighbouringChanges], list: TransactionList)?

  init(storePath: String, directory: IndexDirectory) { (self.storePath, self.directory) = (storePath, directory) }

  // MARK: On a terminal

  /// Draws the state in place until the user presses q or a stop signal arrives.
  func show() throws {
    // An error of the first reading is an ordinary error of the command.
    var lines = try view(columns: Console.width)
    let screen = FullScreen()
    defer { screen.close() }
    while !StopSignal.isRaised {
      screen.draw(lines)
      let key = screen.key(milliseconds: pause, stopDescriptor: stopDescriptor)
      if key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") { return }
      do {
        lines = try view(columns: screen.size.columns)
      } catch {
        // The store or the index may be replaced right now.
        lines = ["The state cannot be read: \(String(describing: error).printable)", "", "q ends"]
      }
    }
  }

  private func readStatus() throws -> Status {
    let status = try Status(storePath: storePath, directory: directory)
    let rest = status.nextCopy.map { Int32(clamping: Int(($0 - .now) / .milliseconds(1))) } ?? 0
    pause = max(Self.milliseconds, rest)
    return status
  }

  private func view(columns: Int) throws -> [String] {
    let status = try readStatus()
    add(status)
    let lag = samples.map(\.lag)
    var lines = StatusSentences(status).headline + [""]
    let behind = status.lagTransactions.map { "\(HumanText.count($0, "transaction")), \(age(status))" }
    lines.append("lag      " + (status.fault ?? behind ?? "unknown").printable)
    lines.append("saved    \(rate(\.newest)) transactions/s")
    lines.append("indexed  \(rate(\.token)) transactions/s")
    lines.append("history  \(HumanText.count(status.newest, "transaction")), indexed up to \(samples.last?.token ?? 0)")
    if status.lagTransactions != nil {
      lines += ["", "lag      " + Glyphs.sparkline(Array(lag.suffix(max(1, columns - 9))))]
      lines.append("         highest \(lag.max() ?? 0) in \(HumanText.duration(elapsed))")
    }
    let recent = try transactions(status)
    if !recent.isEmpty { lines += [""] + recent }
    return lines + ["", "q ends"]
  }

  private func age(_ status: Status) -> String {
    status.lagTransactions == 0
      ? "up to date" : "the oldest is \(HumanText.duration(max(1, status.lagSeconds ?? 0))) old"
  }

  private func transactions(_ status: Status) throws -> [String] {
    guard status.tracking.hasHistory else { return [] }
    if last?.newest != status.newest {
      let store = try StoreFile.open(storePath, readings: directory.readings)
      var groups: [NeighbouringChanges] = []
      try NeighbouringChanges.each(in: store, isNewestFirst: true) {
        groups.append($0)
        return groups.count < Self.mostTransactions
      }
      let titles = ChangeTitles(store: store, directory: directory)
      last = (status.newest, groups, TransactionList(titles: titles))
    }
    return last.map { last in last.groups.map { last.list.summary(of: $0).printable } } ?? []
  }

  // MARK: Elsewhere

  /// Prints a line whenever the state has changed, until a stop signal.
  func printLines() throws {
    var shown: String?
    while !StopSignal.isRaised {
      let status = try readStatus()
      let token = status.index?.state.token?.number ?? 0
      let follower = status.follower.map { "followed by \($0.pid)" } ?? "not followed"
      let lag = (status.fault ?? status.lagTransactions.map(String.init) ?? "unknown").printable
      let line = "newest \(status.newest)  token \(token)  lag \(lag)  \(follower)"
      if line != shown {
        let now = DateText.formatTime(secondsSince1970: Date().timeIntervalSince1970)
        Console.write(line: "\(now)  \(line)")
        Console.flush()
        shown = line
      }
      _ = Descriptors.wait(for: [stopDescriptor], milliseconds: pause)
    }
  }

  // MARK: Rates

  private func add(_ status: Status) {
    samples.append(
      Sample(time: .now, newest: status.newest, token: status.index?.state.token?.number ?? 0))
    if samples.count > Self.mostSamples { samples.removeFirst() }
  }

  private var elapsed: Double {
    samples.isEmpty ? 0 : (samples[samples.count - 1].time - samples[0].time) / .seconds(1)
  }

  /// The growth of a number per second over the last seconds.
  private func rate(_ number: KeyPath<Sample, Int64>) -> String {
    guard let last = samples.last, let first = samples.first(where: { last.time - $0.time <= Self.window }) else {
      return "0"
    }
    let seconds = (last.time - first.time) / .seconds(1)
    guard seconds > 0 else { return "0" }
    let tenths = Int((Double(max(0, last[keyPath: number] - first[keyPath: number])) / seconds * 10).rounded())
    return tenths == 0 || tenths >= 100 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
