// SPDX-License-Identifier: MIT

/// An error of the command line itself, mostly an invalid call.
struct CommandError: Error, CustomStringConvertible {
  let message: String
  /// What the user can do: one action or one command.
  var hint: String?
  var code = ExitCode.failure

  init(_ message: String, hint: String? = nil, code: ExitCode = .failure) {
    self.message = message
    self.hint = hint
    self.code = code
  }

  var description: String { message }
}
