// SPDX-License-Identifier: MIT

internal import Foundation

/// Runs the `followspot` that was built beside the tests.
package struct Shell: Sendable {
  /// The result of a process that has ended.
  package struct Outcome: Sendable, CustomStringConvertible {
    package let code: Int32
    package let signal: Int32
    package let output: String
    package let errors: String

    package var lines: [String] { output.split(separator: "\n").map(String.init) }
    package var description: String { "exit \(code) signal \(signal)\n\(output)\n\(errors)" }
  }

  /// The directory in which commands run.
  package let directory: String
  package var environment: [String: String]
  /// A program that executes the program under test with its arguments, such as `setpriv --reuid=65534`.
  package var wrapper: [String] = []

  package init(in directory: TemporaryDirectory, store: String? = "films.store") {
    self.directory = directory.path
    environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
    if let store { environment["FOLLOWSPOT_STORE"] = directory.file(store) }
  }

  /// The program under test.
  package static let program = ProcessInfo.processInfo.environment["FOLLOWSPOT_PROGRAM"] ?? products + "/followspot"

  /// The directory of the program under test, and of that of the tour.
  package static let programDirectory = URL(fileURLWithPath: program).deletingLastPathComponent().path

  /// The directory of the test bundle and of the other products.
  package static let products: String = {
    let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    var directory = URL(fileURLWithPath: executable).deletingLastPathComponent()
    // Under `swift test` a helper of the toolchain may run the bundle: then the bundle's path is an argument.
    for argument in CommandLine.arguments where argument.contains(".xctest") {
      directory = URL(fileURLWithPath: argument).deletingLastPathComponent()
    }
    return directory.path
  }()

  /// The directory of shared data; nil without FOLLOWSPOT_DATA.
  package static let dataDirectory: String? = ProcessInfo.processInfo.environment["FOLLOWSPOT_DATA"]

  @discardableResult
  package func run(_ arguments: String..., input: String? = nil) throws -> Outcome {
    try run(arguments, input: input)
  }

  @discardableResult
  package func run(_ arguments: [String], input: String? = nil, program: String = Shell.program) throws -> Outcome {
    try start(arguments, input: input, program: program).wait(within: 600)
  }

  /// Starts a command that runs beside the test.
  ///
  /// - Parameter program: A program other than the one under test.
  package func start(
    _ arguments: [String], input: String? = nil, program: String = Shell.program
  ) throws -> Running {
    try Running(arguments, shell: self, input: input, program: program)
  }

  /// A process that may still run. Its output goes to files, so that nothing blocks on a pipe.
  package final class Running: @unchecked Sendable {  // Process is used by one test at a time
    private let process = Process()
    private let files: [String]

    fileprivate init(_ arguments: [String], shell: Shell, input: String?, program: String) throws {
      let name = shell.directory + "/.run-\(UUID().uuidString)"
      files = [name + ".out", name + ".err", name + ".in"]
      for file in files { _ = FileManager.default.createFile(atPath: file, contents: Data()) }
      let command = shell.wrapper + [program] + arguments
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      process.environment = shell.environment
      process.currentDirectoryURL = URL(fileURLWithPath: shell.directory)
      process.standardOutput = FileHandle(forWritingAtPath: files[0])
      process.standardError = FileHandle(forWritingAtPath: files[1])
      if let input {
        try Data(input.utf8).write(to: URL(fileURLWithPath: files[2]))
        process.standardInput = FileHandle(forReadingAtPath: files[2])
      } else {
        process.standardInput = FileHandle.nullDevice
      }
      try Self.withoutBlockedSignals { try process.run() }
    }

    /// A child inherits the signals that are blocked in the thread that starts it, and the threads of a test's tasks
    /// may block them all: SIGTERM would never reach it.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
      var none = sigset_t()
      var before = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try body()
    }

    package var pid: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }
    package func signal(_ number: Int32) { kill(pid, number) }
    package var output: String { text(0) }
    package var errors: String { text(1) }

    private func text(_ index: Int) -> String {
      String(decoding: FileManager.default.contents(atPath: files[index]) ?? Data(), as: UTF8.self)
    }

    /// Waits until standard error holds `text`; false after `seconds` or when the process has ended without it.
    package func waitForError(_ text: String, seconds: Double = 60) -> Bool {
      let isSaid = eventually(within: seconds) { errors.contains(text) || !isRunning }
      return isSaid && errors.contains(text)
    }

    /// Sends a signal and waits for the end; a process that has not ended after `seconds` is killed, which shows in the
    /// outcome.
    package func end(_ number: Int32 = SIGTERM, within seconds: Double = 30) -> Outcome {
      signal(number)
      if !eventually(within: seconds, { !isRunning }) { signal(SIGKILL) }
      return wait()
    }

    /// Waits for the end; a process that has not ended after `seconds` is killed, which shows in the outcome.
    package func wait(within seconds: Int = 1500) -> Outcome {
      // The queue keeps even a cancelled item until its time, so it holds nothing of the process but its number.
      let alarm = DispatchWorkItem { [pid] in
        FileHandle.standardError.write(Data("process \(pid) is killed after \(seconds) seconds\n".utf8))
        kill(pid, SIGKILL)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: alarm)
      defer { alarm.cancel() }
      process.waitUntilExit()
      let isExit = process.terminationReason == .exit
      let outcome = Outcome(
        code: isExit ? process.terminationStatus : -1, signal: isExit ? 0 : process.terminationStatus, output: output,
        errors: errors)
      for file in files { try? FileManager.default.removeItem(atPath: file) }
      return outcome
    }
  }
}
