// SPDX-License-Identifier: MIT

/// An error of the command line itself, mostly an invalid call.
struct CommandError: Error, CustomStringConvertible {
  let message: String
  /// What the user can do: one action or one command.
  let hint: String?
  let code: ExitCode

  init(_ message: String, hint: String? = nil, code: ExitCode = .failure) {
    (self.message, self.hint, self.code) = (message, hint, code)
  }

  var description: String { message }
}
