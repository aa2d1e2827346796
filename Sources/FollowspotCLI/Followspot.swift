// SPDX-License-Identifier: MIT

internal import Following
internal import Glibc
internal import Indexing
internal import SearchIndex
internal import ShellInterface
internal import Values

/// The program: `followspot [--store FILE] [--index DIR] VERB …`.
@main
enum FollowspotCommand {
  static func main() {
    Descriptors.fillStandardStreams()
    Console.use(
      program: "followspot", stopSignal: { StopSignal.number },
      startShell: { try? ChildProcess.start("/bin/sh", ["sh", "-c", $0], input: $1) })
    // If the reader of a pipe exits, the next write fails with EPIPE.
    signal(SIGPIPE, SIG_IGN)
    // If the file size limit is reached, the write fails with an error, as it does on a full disk.
    signal(SIGXFSZ, SIG_IGN)
    IndexReader.exitOnCrash(damaged: ExitCode.corrupt.rawValue, full: ExitCode.temporary.rawValue)
    let arguments = Array(CommandLine.arguments.dropFirst())
    let code =
      switch arguments.first {
      case Completion.verb: Completion.run(Array(arguments.dropFirst()), of: CommandDescription.all)
      case Pick.verb: Pick.run(Array(arguments.dropFirst()))
      default: run(arguments)
      }
    Console.end(code.rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    do {
      let parsed = try ParsedArguments(arguments, commands: CommandDescription.all)
      try apply(parsed)
      return try run(parsed)
    } catch {
      return report(error)
    }
  }

  private static func run(_ parsed: ParsedArguments) throws -> ExitCode {
    guard let verb = parsed.verb else {
      if parsed.options["--version"] != nil { return printed("followspot \(Help.version)\n") }
      if parsed.options["--help"] != nil { return printed(help: Help.overview(CommandDescription.all)) }
      let help = Help.overview(CommandDescription.all)
      Console.note(Console.isErrorTerminal ? HelpText.fitted(help, width: Console.width) : help)
      return .failure
    }
    guard let command = CommandDescription.all.first(where: { $0.name == verb }) else {
      let nearest = NearestNames.of(verb, among: CommandDescription.all.map(\.name))
      throw CommandError(
        "there is no verb '\(verb)'",
        hint: nearest.first.map { "did you mean \($0)?" } ?? "followspot help lists the verbs")
    }
    if parsed.options["--help"] != nil { return printed(help: command.help) }
    if parsed.options["--version"] != nil { return printed("followspot \(Help.version)\n") }
    if command.isPaged, ["--no-pager", "--live"].allSatisfy({ parsed.options[$0] == nil }) { Pager.use() }
    return try command.run(
      Invocation(
        command: command, options: parsed.options, positionals: parsed.positionals,
        countBeforeEnd: parsed.countBeforeEnd))
  }

  /// Applies the global options.
  private static func apply(_ parsed: ParsedArguments) throws {
    let call = Invocation(command: .help, options: parsed.options, positionals: [])
    let verbs = Set(CommandDescription.all.map(\.name)).subtracting(["help", "config", "completion", "tour"])
    CommandHints.use(["--store", "--index"], of: parsed.options, verbs: verbs)
    IndexReader.setCrashOptions(CommandHints.options)
    Style.when = try call.choice("--color", Style.When.self) ?? .auto
    if let version = call.value("--format-version") { try FormatVersion.use(version) }
  }

  private static func printed(_ text: String) -> ExitCode {
    Console.write(text)
    return .success
  }

  private static func printed(help text: String) -> ExitCode {
    Console.write(help: text)
    return .success
  }

  private static func report(_ error: any Error) -> ExitCode {
    Console.flush()
    ErrorReport.say(error)
    return ErrorReport.code(of: error)
  }
}
