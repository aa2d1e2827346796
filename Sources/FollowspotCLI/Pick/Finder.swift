// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import Glibc
internal import SearchIndex

/// Runs fzf with this program as the source of its list and of its preview.
struct Finder {
  private let program: String
  private let places: Call.Places
  /// Only fzf and the programs that it starts have these variables.
  private let environment: [(name: String, value: String)]
  private let directory: String
  private let kind: String

  /// - Parameters:
  ///   - kinds: The names of the entities, between which a key switches.
  ///   - kind: The entity to begin with; nil for all.
  /// - Throws: `CommandError` if fzf or a terminal is missing.
  init(places: Call.Places, kinds: [String], kind: String?) throws {
    program = try Self.check()
    if let kind, !kinds.contains(where: { $0.lowercased() == kind.lowercased() }) {
      throw CommandError("the store has no entity \(kind); it has \(kinds.joined(separator: ", "))")
    }
    self.kind = kinds.first { $0.lowercased() == kind?.lowercased() } ?? ""
    var template = Array("\(FileManager.default.temporaryDirectory.path)/followspot-pick-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw CommandError("no temporary directory can be created: \(String(cString: strerror(errno)))")
    }
    directory = String(cString: made)
    self.places = places
    environment = try [
      ("SHELL", "/bin/sh"), (Pick.stateVariable, directory + "/kind"),
      (Pick.programVariable, FilePath.own ?? "followspot"),
      ("FZF_DEFAULT_COMMAND", "true"),
      (Self.placesVariable, String(decoding: JSONEncoder().encode(places), as: UTF8.self)),
    ]
  }

  private static let placesVariable = "FOLLOWSPOT_PICK_PLACES"

  /// The options that name the stores, for what fzf calls.
  static func options(_ environment: [String: String]) throws -> [String: [String]] {
    guard let text = environment[placesVariable] else { return [:] }
    return try JSONDecoder().decode(Call.Places.self, from: Data(text.utf8)).options
  }

  /// - Returns: The path of fzf.
  /// - Throws: `CommandError` if fzf or a terminal is missing.
  @discardableResult
  static func check() throws -> String {
    guard let program = FilePath.program("fzf") else {
      throw CommandError(
        "pick needs fzf, which is not installed", hint: "sudo apt-get install fzf, or use followspot search")
    }
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw CommandError("pick needs a terminal", hint: "followspot search prints identifiers to a pipe")
    }
    close(terminal)
    return program
  }

  /// - Parameter isIdentifier: Whether a text is an identifier.
  /// - Returns: The exit code, and the identifiers of the chosen records in the order in which they were marked.
  func run(query: String, isIdentifier: (String) throws -> Bool) throws -> (code: ExitCode, chosen: [String]) {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try PickState(path: directory + "/kind").write(kind)
    // The program of --exec finds the store by the same variables.
    if places.stores.count == 1 { setenv("FOLLOWSPOT_STORE", places.stores[0], 1) }
    if places.indexes.count == 1, let index = places.indexes.first { setenv("FOLLOWSPOT_INDEX", index, 1) }
    let environment = environment.map { "\($0.name)=\($0.value)" }
    let own = "\"$\(Pick.programVariable)\" " + Pick.verb
    let list = "\(own) list {q}"
    let words =
      ["env", "-u", "FZF_DEFAULT_OPTS", "-u", "FZF_DEFAULT_OPTS_FILE"] + environment + [
        program, "--disabled", "--no-sort", "--multi", "--ansi", "--delimiter=\t", "--with-nth=2..", "--layout=reverse",
        "--info=hidden", "--query=\(query)", "--prompt=\(PickState.prompt(kind))",
        "--header=Enter: accept · Tab: mark · Ctrl-T: kind · Ctrl-P: preview",
        "--bind=start:reload(\(list))", "--bind=change:reload(\(list))+first",
        "--bind=ctrl-t:transform-prompt(\(own) kind)+reload(\(list))", "--bind=ctrl-p:toggle-preview",
        "--preview=\(own) preview {1} {q}", "--preview-window=right,50%,wrap,<40(down,40%,wrap)",
      ]
    let (output, status) = try ChildProcess.capture("/usr/bin/env", words)
    // A line with an error has no identifier.
    let chosen = try output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.filter(isIdentifier)
    switch status {
    case 0: return (.success, chosen)
    case 1: return (.negative, [])
    case 130: return (.interrupted, [])
    default: throw CommandError("fzf failed with exit code \(status)", hint: "pick needs fzf 0.38 or newer")
    }
  }
}
