internal import Followspot

/// Parses a configuration file: sections in brackets, `key = value` lines, and comment lines that start with `#` or
/// `;`.
struct ConfigurationParser {
  let file: String
  let home: String?

  private enum Section {
    case store(Int)
    case preset
    /// An unknown section: its lines are skipped.
    case unknown
  }

  private var configuration = Configuration()
  private var section: Section?
  /// The line number of each profile's section.
  private var lines: [Int] = []
  private var seen: Set<String> = []
  private var preset: (name: String, line: Int)?

  init(file: String, home: String?) {
    self.file = file
    self.home = home
  }

  /// Parses the text. Errors carry the file and the line.
  mutating func parse(_ text: String) -> Configuration {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      do {
        try take(Self.trimmed(line), index + 1)
      } catch {
        note(error)
      }
    }
    for (index, line) in lines.enumerated() where configuration.profiles[index].path.isEmpty {
      section = .store(index)
      note(wrong(line, "the store \"\(configuration.profiles[index].name)\" has no path", hint: "path = FILE"))
    }
    if let preset {
      let names = configuration.profiles.map(\.name)
      if names.contains(preset.name) {
        configuration.preset = preset.name
      } else {
        section = .preset
        let nearest = NearestNames.of(preset.name, among: names).first
        note(
          wrong(
            preset.line, "there is no store \"\(preset.name)\"",
            hint: nearest.map { "did you mean \($0)?" } ?? "[store \"\(preset.name)\"] and a path make one"))
      }
    }
    return configuration
  }

  /// Records the first error of each section, and the first of the file.
  private mutating func note(_ problem: CommandError) {
    configuration.problem = configuration.problem ?? problem
    guard case .store(let index) = section else { return }
    configuration.profiles[index].problem = configuration.profiles[index].problem ?? problem
  }

  private mutating func take(_ line: Substring, _ number: Int) throws(CommandError) {
    guard let first = line.first, first != "#", first != ";" else { return }
    if first == "[" { return try begin(line, number) }
    guard let equals = line.firstIndex(of: "=") else {
      throw wrong(number, "'\(line)' is neither [section] nor key = value", hint: "comments begin with #")
    }
    let key = Self.trimmed(line[..<equals]).lowercased()
    let value = try unquoted(Self.trimmed(line[line.index(after: equals)...]), number)
    guard let section else {
      throw wrong(number, "\(key) must be inside a section", hint: "[store \"NAME\"] begins one")
    }
    guard seen.insert(key).inserted else { throw wrong(number, "\(key) is repeated in its section") }
    switch (section, key) {
    case (.unknown, _): break
    case (.preset, "store"): preset = (value, number)
    case (.store(let index), "path"): configuration.profiles[index].path = try path(value, number)
    case (.store(let index), "index"): configuration.profiles[index].index = try path(value, number)
    case (.store(let index), "definition"): configuration.profiles[index].definition = try path(value, number)
    case (.preset, _): throw wrong(number, "[default] has no '\(key)'", hint: "this section has only the key store")
    case (.store, _):
      throw wrong(number, "a store has no '\(key)'", hint: "a store section has the keys path, index and definition")
    }
  }

  private mutating func begin(_ line: Substring, _ number: Int) throws(CommandError) {
    section = .unknown
    guard line.last == "]" else { throw wrong(number, "the section's ] is missing") }
    let parts = Self.trimmed(line.dropFirst().dropLast()).split(separator: " ", maxSplits: 1)
    seen = []
    switch (parts.first?.lowercased(), parts.count) {
    case ("default", 1): section = .preset
    case ("store", 2):
      let name = try unquoted(Self.trimmed(parts[1]), number)
      guard !name.isEmpty, !name.contains("/") else {
        throw wrong(
          number, "'\(name)' is not a valid name of a store", hint: "a name must not be empty, and must not contain /")
      }
      if let other = configuration.profiles.firstIndex(where: { $0.name == name }) {
        section = .store(other)
        throw wrong(number, "there are two stores \"\(name)\"")
      }
      section = .store(configuration.profiles.count)
      configuration.profiles.append(Configuration.Profile(name: name, path: ""))
      lines.append(number)
    default:
      throw wrong(number, "there is no section '\(line)'", hint: "the sections are [default] and [store \"NAME\"]")
    }
  }

  /// Expands `~`, and refuses relative paths, which would depend on the working directory.
  private func path(_ value: String, _ number: Int) throws(CommandError) -> String {
    if value == "~" || value.hasPrefix("~/"), let home { return home + value.dropFirst() }
    guard value.hasPrefix("/") else {
      throw wrong(number, "the path '\(value)' depends on where it is used", hint: "start the path with / or ~/")
    }
    return value
  }

  private func unquoted(_ value: Substring, _ number: Int) throws(CommandError) -> String {
    guard value.first == "\"" else { return String(value) }
    guard value.count > 1, value.last == "\"" else { throw wrong(number, "a quotation mark is missing") }
    return String(value.dropFirst().dropLast())
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop(while: \.isWhitespace)
    return start.prefix(upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)
  }

  private func wrong(_ line: Int, _ what: String, hint: String? = nil) -> CommandError {
    CommandError("\(file), line \(line): \(what)", hint: hint)
  }
}
