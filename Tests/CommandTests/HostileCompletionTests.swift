// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Completion of values that contain shell syntax, on a terminal, in every shell and every state of quoting.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct HostileCompletionTests {
  enum Interpreter: String, CaseIterable {
    case bash, zsh, fish

    /// The path of the shell; nil if it is not installed.
    var program: String? {
      ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + rawValue }.first(
        where: FileManager.default.isExecutableFile)
    }

    /// An interactive shell without the user's configuration, and the lines that enable completion in it.
    var command: String {
      switch self {
      case .bash: "bash --norc --noprofile -i"
      case .zsh: "zsh -f -i"
      case .fish: "fish --no-config -i"
      }
    }

    var setup: [String] {
      switch self {
      case .bash: [#"eval "$(followspot completion bash)""#, "bind 'set bell-style none'"]
      case .zsh:
        [
          "autoload -Uz compinit && compinit -u -D", #"eval "$(followspot completion zsh)""#, "unsetopt beep",
        ]
      case .fish: ["followspot completion fish | source"]
      }
    }
  }

  enum Quoting: String, CaseIterable {
    case none, single, double

    var mark: String { ["none": "", "single": "'", "double": "\""][rawValue] ?? "" }

    /// `text` as a user types it in this state.
    func typed(_ text: String, in interpreter: Interpreter) -> String {
      let isFish = interpreter == .fish
      return mark
        + text.unicodeScalars.map { scalar in
          switch (self, scalar) {
          case (.none, _):
            let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == ":"
            return (isPlain ? "" : "\\") + String(scalar)
          case (.single, "'"): return isFish ? "\\'" : "'\\''"
          case (.single, "\\") where isFish: return "\\\\"
          case (.double, "\""), (.double, "\\"), (.double, "$"): return "\\" + String(scalar)
          case (.double, "`") where !isFish: return "\\`"
          case (.double, "!") where !isFish: return "\"'!'\""
          default: return String(scalar)
          }
        }.joined()
    }
  }

  /// Values with shell syntax or terminal controls, each with a command that would create the file `pwn`.
  private static let pieces = [
    "$(touch pwn)", "`touch pwn`", "'", "\"", "\\", ";touch pwn;", "&touch pwn&", "|touch pwn|", ">pwn", "<pwn", "!",
    "!!", "!t", "*", "?", "[a]", "{a,b}", "~", "-", "#", "^", " ", "  ", "=", ":", "@", "%", "(", ")", "(touch pwn)",
    "$HOME", "${x}", "$'", "$\"", "\\'", "\\\\", "\u{301}", "'\u{301}", "$\u{301}(touch pwn)", "\u{600}",
    "\u{600}$(touch pwn)", "\u{600}'", "\u{600}\"", "\u{200d}", "\u{2028}", "é", "漢", "🎉", "\u{a0}", "\u{3000}", "\n",
    "\ntouch pwn\n", "\r", "\t", "\u{1b}[A", "\u{3}", "\u{7f}",
  ]

  private static func values(seed: Int) -> [String] {
    var generator = SeededGenerator(seed: seed)
    let known = [
      "'$(touch pwn)'y", "\"$(touch pwn)\"y", "\\'$(touch pwn)", "'\u{301}$(touch pwn)'y", "$\u{301}(touch pwn)",
    ]
    let made = (0..<8).map { _ in
      (0..<Int.random(in: 1...5, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
    return (known + made).enumerated().map { "zz\($0.offset + 10)" + $0.element }
  }

  private func json(_ values: [String]) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: ["title": "a", "genres": values] as [String: Any])
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  /// A `followspot` that passes completion to the real program, and otherwise records its arguments.
  private func install(in bench: ShellFixture) throws -> String {
    let directory = bench.directory.file("bin")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let text = """
      #!/bin/sh
      case $1 in __complete|completion) exec '\(Shell.program)' "$@" ;; esac
      printf '%s\\0' "$@" > ../received.new && mv ../received.new ../received
      """
    let file = directory + "/followspot"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    let work = bench.directory.file("work")
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
    return directory
  }

  private func received(_ bench: ShellFixture, within seconds: Double = 20) -> [String]? {
    let file = bench.directory.file("received")
    guard eventually(within: seconds, { FileManager.default.fileExists(atPath: file) }),
      let data = FileManager.default.contents(atPath: file)
    else { return nil }
    try? FileManager.default.removeItem(atPath: file)
    return data.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test(arguments: Interpreter.allCases, Quoting.allCases)
  func `no shell executes commands in a completed value`(_ interpreter: Interpreter, _ quoting: Quoting) throws {
    guard interpreter.program != nil else {
      return print("Completion in \(interpreter) is not shown: it is not installed.")
    }
    for seed in Rounds.seeds(1, long: 20) {
      let values = Self.values(seed: seed)
      let bench = try ShellFixture(try json(values))
      var shell = bench.shell
      shell.environment["PATH"] = try install(in: bench) + ":/usr/bin:/bin"
      shell.environment["HOME"] = bench.directory.file("work")
      // fish keeps a directory here, otherwise in the temporary one.
      shell.environment["XDG_RUNTIME_DIR"] = bench.directory.path
      let typed = try TypedShell(
        "sh -c 'cd work && exec \(interpreter.command)'", name: "terminal-\(seed)", shell: shell)
      defer { typed.end() }
      for line in interpreter.setup + ["followspot ready"] { try typed.type(line + "\r") }
      try #require(received(bench, within: 60) == ["ready"], "\(typed.shown.suffix(600).debugDescription)")
      var generator = SeededGenerator(seed: seed)
      for (number, value) in values.enumerated() {
        let comment: Comment = "seed \(seed), \(value.debugDescription)"
        let key = "zz\(number + 10)"
        let answer = try bench.shell.run("__complete", "fish", "followspot search genres:" + key).lines.dropFirst()
        guard let word = answer.first else {
          // Values with line ends or terminal controls are not offered.
          #expect(value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 }, comment)
          continue
        }
        // The part of the value that the user has typed: its unique prefix, or more. The part does not contain a
        // quotation mark of the value. fish expands * and ? even in quotation marks, and completes them by file
        // names.
        let scalars = Array(word.unicodeScalars)
        let unique = try #require(word.range(of: key)).upperBound.utf16Offset(in: word)
        let special: Set<Unicode.Scalar> = interpreter == .fish ? ["\"", "*", "?"] : ["\""]
        let isShort = value.unicodeScalars.contains(where: special.contains) || Bool.random(using: &generator)
        let longest = max(unique, scalars.count - 1)
        let count = isShort ? unique : Int.random(in: unique...longest, using: &generator)
        let beginning = String(String.UnicodeScalarView(scalars.prefix(count)))
        try typed.type("followspot search " + quoting.typed(beginning, in: interpreter) + "\t\r")
        try #require(
          received(bench) == ["search", word],
          "\(comment) behind \(beginning)\n\(typed.shown.suffix(600).debugDescription)")
      }
      // All of them are listed, and their common prefix is inserted.
      try typed.type("followspot search " + quoting.typed("genres:\"zz", in: interpreter) + "\t\(quoting.mark)\r")
      #expect(received(bench)?.last?.hasPrefix("genres:\"zz") == true, "\(typed.shown.suffix(600).debugDescription)")
      let left = try FileManager.default.contentsOfDirectory(atPath: bench.directory.file("work"))
      #expect(left.filter { !$0.hasPrefix(".") } == [], "\(typed.shown.suffix(600).debugDescription)")
    }
  }
}
