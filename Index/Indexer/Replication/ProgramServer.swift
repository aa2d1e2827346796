// SPDX-License-Identifier: MIT

package import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// Runs a program that serves at an address, and starts it again if it ends, until a stop signal.
package struct ProgramServer {
  let program: String
  let words: [String]
  let address: NetworkAddress
  let report: (String) -> Void

  package init(program: String, words: [String], address: NetworkAddress, report: @escaping (String) -> Void) {
    self.program = program
    self.words = words
    self.address = address
    self.report = report
  }

  private static let pollMilliseconds: Int32 = 500
  /// A program that ends earlier than this could not begin.
  private static let shortest = Duration.seconds(2)

  /// - Parameters:
  ///   - ready: Called once, when clients can connect.
  ///   - round: Called about twice a second while the program runs.
  /// - Throws: `OperationError.file` if the address cannot be used.
  package func run(ready: () -> Void, round: () -> Void) throws {
    let stop = StopSignal.catchFromNow()
    var isReady = false
    while !StopSignal.isRaised {
      let started = ContinuousClock.now
      let child = try SupervisedChild(program, words)
      while !StopSignal.isRaised, child.isRunning {
        if !isReady, ContinuousClock.now - started > .milliseconds(300) {
          isReady = true
          ready()
        }
        round()
        var polled = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        _ = poll(&polled, 1, isReady ? Self.pollMilliseconds : 100)
      }
      guard !StopSignal.isRaised else { break }
      let reason = child.end() ?? "without a message"
      guard ContinuousClock.now - started > Self.shortest else {
        throw OperationError(.file, "\(address) cannot be served: \(reason)", recovery: .chooseAddress)
      }
      report("the server of \(address) ended (\(reason)); starting it again")
    }
  }
}
