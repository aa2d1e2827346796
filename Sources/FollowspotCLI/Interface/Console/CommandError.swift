// SPDX-License-Identifier: MIT

/// An error of the command line itself, mostly an invalid call.
package struct CommandError: Error, CustomStringConvertible {
  let message: String
  /// What the user can do: one action or one command.
  package let hint: String?
  package let code: ExitCode

  package init(_ message: String, hint: String? = nil, code: ExitCode = .failure) {
    (self.message, self.hint, self.code) = (message, hint, code)
  }

  package var description: String { message }
}
