// SPDX-License-Identifier: MIT

struct CompletionCommand: Verb {
  static let description = CommandDescription(
    name: "completion", arguments: "bash|zsh|fish", summary: "print a completion script for a shell",
    details: """
      The script calls this program for completions. It completes verbs and options. From the store and its index, it
      completes fields, kinds, flags, facet values and identifiers.
      bash: as an alternative, add eval "$(followspot completion bash)" to ~/.bashrc.
      zsh: followspot completion zsh > DIR/_followspot, where DIR is in $fpath.
      fish: followspot completion fish > ~/.config/fish/completions/followspot.fish.
      """,
    examples: [
      "followspot completion bash > ~/.local/share/bash-completion/completions/followspot",
      "followspot completion fish > ~/.config/fish/completions/followspot.fish",
    ], words: Shell.allCases.map { ($0.rawValue, []) })

  func run(_ call: Call) throws -> ExitCode {
    guard let shell = call.positionals.first.flatMap(Shell.init), call.positionals.count == 1 else {
      throw call.usageError("completion takes bash, zsh or fish")
    }
    Console.write(CompletionScript.text(for: shell))
    return .success
  }
}
