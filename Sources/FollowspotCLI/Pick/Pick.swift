// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// What fzf calls: `followspot __pick list QUERY`, `preview ID QUERY` and `kind`.
enum Pick {
  /// It is not in help: only `pick` uses it.
  static let verb = "__pick"
  static let stateVariable = "FOLLOWSPOT_PICK_KIND"
  /// The path of this program, which fzf's actions start.
  static let programVariable = "FOLLOWSPOT_PICK_PROGRAM"

  private static var state: PickState {
    PickState(path: ProcessInfo.processInfo.environment[stateVariable] ?? "")
  }

  static func run(_ arguments: [String]) -> ExitCode {
    if ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty { Style.when = .always }
    do {
      let options = try Finder.options(ProcessInfo.processInfo.environment)
      let call = try Call(PickCommand.self, ParsedArguments(verb: PickCommand.name, options: options))
      let list = PickList(try call.recordSearch(), kind: state.kind)
      switch (arguments.first, arguments.count) {
      case ("list", 2): try list.print(arguments[1])
      case ("preview", 3): try list.preview(arguments[1], arguments[2])
      case ("kind", 1):
        let kind = list.nextKind
        try state.write(kind)
        Console.write(line: PickState.prompt(kind))
      default: return .failure
      }
      return .success
    } catch {
      // The finder shows it in place of the list or of the preview.
      Console.write(line: "\t" + String(describing: error).printable)
      return .failure
    }
  }
}
