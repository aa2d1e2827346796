// SPDX-License-Identifier: MIT

internal import Foundation

/// An interactive program on a pseudo terminal, into which a test types. `script` provides the terminal.
package final class TypedShell: @unchecked Sendable {  // used by one test at a time
  private let process = Process()
  private let keyboard = Pipe()
  private let transcript: String

  /// - Parameters:
  ///   - command: Run by `/bin/sh` on the terminal.
  ///   - name: The name of the transcript in the directory of `shell`.
  package init(_ command: String, name: String, shell: Shell) throws {
    transcript = shell.directory + "/" + name + ".transcript"
    _ = FileManager.default.createFile(atPath: transcript, contents: Data())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
    process.arguments = ["-qefc", "stty cols 2000 rows 500; exec " + command, "/dev/null"]
    process.environment = shell.environment.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { own, _ in own }
    process.currentDirectoryURL = URL(fileURLWithPath: shell.directory)
    process.standardInput = keyboard
    process.standardOutput = FileHandle(forWritingAtPath: transcript)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// What the terminal has shown so far.
  package var shown: String {
    String(decoding: FileManager.default.contents(atPath: transcript) ?? Data(), as: UTF8.self)
  }

  package func type(_ text: String) throws { try keyboard.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  package var isRunning: Bool { process.isRunning }

  package func end() {
    try? keyboard.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }
}
