// SPDX-License-Identifier: MIT

internal import Base
internal import Glibc
internal import SearchIndex

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
      case Completion.verb: Completion.run(Array(arguments.dropFirst()))
      case Pick.verb: Pick.run(Array(arguments.dropFirst()))
      default: run(arguments)
      }
    Console.end(code.rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    do {
      return try run(ParsedArguments(arguments, of: .followspot))
    } catch {
      Console.flush()
      ErrorReport.say(error)
      return ErrorReport.code(of: error)
    }
  }

  private static func run(_ parsed: ParsedArguments) throws -> ExitCode {
    let verbs = Set(Verbs.all.map { $0.name }).subtracting(["help", "config", "completion", "tour"])
    CommandHints.use(["--store", "--index"], of: parsed.options, verbs: verbs)
    IndexReader.setCrashOptions(CommandHints.options)
    let globals = try GlobalOptions(reading: parsed.options)
    Style.when = globals.color ?? .auto
    if let version = globals.formatVersion { try FormatVersion.use(version) }
    let version = "followspot \(Program.followspot.version)"
    guard let name = parsed.verb else {
      let help = Help.overview(.followspot)
      if globals.version {
        Console.write(line: version)
      } else if globals.help {
        Console.write(help: help)
      } else {
        Console.note(Console.isErrorTerminal ? HelpText.fitted(help, width: Console.width) : help)
        return .failure
      }
      return .success
    }
    let verb = try Verbs.verb(named: name, hint: "followspot help lists the verbs")
    if globals.help {
      Console.write(help: Help.of(verb, in: .followspot))
    } else if globals.version {
      Console.write(line: version)
    } else {
      return try run(verb, parsed)
    }
    return .success
  }

  private static func run(_ type: any Verb.Type, _ parsed: ParsedArguments) throws -> ExitCode {
    let call = try Call(type, parsed)
    let verb = try type.init(reading: parsed.options)
    if type.description.isPaged, !call.globals.hasNoPager, parsed.options["--live"] == nil { Pager.use() }
    do { return try verb.run(call) } catch { throw (try? call.indexDirectory())?.explaining(error) ?? error }
  }
}
