// SPDX-License-Identifier: MIT

internal import CSupport
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// Notifies a service manager, by the sd_notify protocol of systemd, that the follower is ready, what it does, and that it
/// makes progress. Without `NOTIFY_SOCKET` it does nothing.
///
/// Only progress feeds the watchdog: nothing is pending, the token has moved, or long work is further than ever since then.
/// A follower that keeps failing does not feed it.
package final class ServiceManager {
  private let socket: String?
  /// The interval of the watchdog; nil if there is none.
  private let interval: Duration?
  private let clock = ContinuousClock()
  private var lastFed: ContinuousClock.Instant?
  private var lastExtended: ContinuousClock.Instant?
  private var lastStatus = ""
  private var isReady = false
  /// A manager whose queue is full hears it with the next round.
  private var isReadyTold = false
  private var token: Int64?
  /// How far each phase of long work has come since the token moved.
  private var furthest: [String: Int] = [:]
  private let observe: @Sendable (Activity) -> Void

  /// What a follower in a group tells the group.
  package enum Activity: Sendable { case progress, retrying }

  /// How long the manager is asked to wait for the first pass, again and again while it gets on.
  private static let startExtension: Duration = .seconds(90)
  private static let extensionInterval: Duration = .seconds(5)

  /// - Parameter observe: Called when the work has made progress, and when it has failed and will be tried again.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment, pid: Int32 = getpid(),
    observe: @escaping @Sendable (Activity) -> Void = { _ in }
  ) {
    self.observe = observe
    socket = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let isOurs = environment["WATCHDOG_PID"].map { $0 == String(pid) } ?? true
    interval = environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap { microseconds in
      isOurs && microseconds > 0 ? .microseconds(max(1, microseconds / 2)) : nil
    }
  }

  /// Whether there is a service manager.
  package var isListening: Bool { socket != nil }

  /// How long a follower at rest may sleep at most, so that the watchdog is fed in time.
  package func sleep(atMost milliseconds: Int32) -> Int32 {
    guard socket != nil, let interval else { return milliseconds }
    let parts = interval.components
    // Half of the interval: a feeding that comes a little early for it is not put off for a whole round.
    let half = (parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000) / 2
    return Int32(max(1, min(Int64(milliseconds), half)))
  }

  // MARK: Events

  /// The first pass is done.
  func ready(_ token: Int64) {
    isReady = true
    idle(token)
  }

  /// The index is at the store's newest transaction.
  func idle(_ token: Int64) {
    self.token = token
    furthest = [:]
    rest("token \(token), nothing pending")
  }

  /// The indexes of a group are followed.
  package func following(stores count: Int) {
    isReady = true
    rest("\(count) stores")
  }

  private func rest(_ text: String) {
    if isReady, !isReadyTold {
      isReadyTold = tell(status: text, after: "READY=1\n")
    } else {
      status(text)
    }
    feed()
  }

  /// A batch was committed.
  ///
  /// - Parameter touched: Documents written in it: a part of a large transaction keeps the old token.
  func committed(_ token: Int64?, touched: Int) {
    guard token != self.token || touched > 0 else { return }
    if token != self.token { furthest = [:] }
    self.token = token
    status("token \(token.map(String.init) ?? "none"), resumed")
    advance()
  }

  /// Long work goes on: a first build, a rebuild, a comparison.
  package func progressed(_ phase: String, _ done: Int, of total: Int) {
    status("\(phase) \(done) of \(total) rows")
    guard done > furthest[phase, default: 0] else { return }
    furthest[phase] = done
    advance()
  }

  func retrying(_ reason: String) {
    observe(.retrying)
    status("retrying: \(reason)")
  }

  package func stopping() {
    guard socket != nil else { return }
    send("STOPPING=1\n")
  }

  // MARK: Datagrams

  private func advance() {
    feed()
    guard !isReady, isDue(&lastExtended, Self.extensionInterval) else { return }
    send("EXTEND_TIMEOUT_USEC=\(Self.startExtension.components.seconds * 1_000_000)\n")
  }

  private func feed() {
    observe(.progress)
    guard let interval, isDue(&lastFed, interval) else { return }
    send("WATCHDOG=1\n")
  }

  private func isDue(_ last: inout ContinuousClock.Instant?, _ interval: Duration) -> Bool {
    let now = clock.now
    if let last, last.duration(to: now) < interval { return false }
    last = now
    return true
  }

  private func status(_ text: String) {
    guard socket != nil, text != lastStatus else { return }
    tell(status: text)
  }

  /// A message that was not received is sent again, because it is not stored.
  @discardableResult
  private func tell(status text: String, after first: String = "") -> Bool {
    let line = "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
    guard send(first + line) else { return false }
    lastStatus = text
    return true
  }

  /// Ignores a manager that does not listen.
  @discardableResult
  private func send(_ text: String) -> Bool {
    guard let socket else { return false }
    return cs_notify(socket, text, text.utf8.count) == 0
  }
}
