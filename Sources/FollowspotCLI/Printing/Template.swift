// SPDX-License-Identifier: MIT

internal import Base

/// A template: text with fields in braces, such as `{title} ({year})\n`.
struct Template {
  private enum Part: Equatable {
    case text(String)
    /// The index of a field in `names`.
    case field(Int)
  }

  private var parts: [Part] = []
  /// The fields in the order of the template, with repetitions.
  private(set) var names: [String] = []

  /// Parses a template. The escapes are `\n`, `\t`, `\0`, `\\`, `\{` and `\}`.
  ///
  /// - Throws: `CommandError` for unmatched braces and unknown escapes.
  init(_ source: String) throws {
    var text = ""
    var rest = source[...]
    while let character = rest.popFirst() {
      switch character {
      case "\\": text.append(try Self.escaped(rest.popFirst()))
      case "{":
        guard let end = rest.firstIndex(of: "}") else { throw Self.wrong("a } is missing behind '{\(rest)'") }
        let written = String(rest[..<end])
        let name = TypedName.read(written)
        guard !name.isEmpty, !name.contains("{"), name != written || !name.contains(",") else {
          throw Self.wrong("'{\(written)}' names no field")
        }
        parts += [.text(text), .field(names.count)]
        names.append(name)
        text = ""
        rest = rest[rest.index(after: end)...]
      case "}": throw Self.wrong("a { is missing before '}'")
      default: text.append(character)
      }
    }
    parts.append(.text(text))
    guard !names.isEmpty else { throw Self.wrong("it names no field") }
  }

  private static func escaped(_ character: Character?) throws -> Character {
    switch character {
    case "n": return "\n"
    case "t": return "\t"
    case "0": return "\0"
    case "\\", "{", "}": return character ?? "\\"
    default: throw wrong("'\\\(character.map(String.init) ?? "")' stands for nothing")
    }
  }

  private static func wrong(_ what: String) -> CommandError {
    CommandError(
      "--template: \(what)",
      hint: #"write fields in braces: '{title} ({year})\n'; \n \t \0 \\ \{ \} are escape sequences"#)
  }

  /// The template with its fields replaced by `values`.
  func filled(_ values: [String]) -> String {
    parts.reduce(into: "") { filled, part in
      switch part {
      case .text(let text): filled += text
      case .field(let index): filled += values[index]
      }
    }
  }
}
