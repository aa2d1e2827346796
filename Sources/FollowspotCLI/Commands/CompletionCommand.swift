internal import Followspot

extension CommandDescription {
  static let completion = CommandDescription(
    name: "completion", arguments: "bash|zsh|fish", summary: "print a completion script for a shell",
    details: """
      The script calls this program for completions. It completes verbs and options, and from the store and its index
      fields, kinds, flags and values of facets.
      bash: eval "$(followspot completion bash)" in ~/.bashrc does too.
      zsh: followspot completion zsh > DIR/_followspot, where DIR is in $fpath.
      fish: followspot completion fish > ~/.config/fish/completions/followspot.fish.
      """,
    examples: [
      "followspot completion bash > ~/.local/share/bash-completion/completions/followspot",
      "followspot completion fish > ~/.config/fish/completions/followspot.fish",
    ],
    options: [], words: Completion.Shell.allCases.map { ($0.rawValue, []) }
  ) { call in
    guard let shell = call.positionals.first.flatMap(Completion.Shell.init), call.positionals.count == 1 else {
      throw CommandError("completion takes bash, zsh or fish", hint: "followspot help completion")
    }
    Console.write(CompletionScript.text(for: shell))
    return .success
  }
}
