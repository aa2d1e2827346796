// SPDX-License-Identifier: MIT

internal import Base

/// An option as help, manual pages, completion and the parser need it.
struct OptionDescription: Sendable {
  /// The name with its dashes: `--store`, `-n`.
  let name: String
  /// The placeholder of its value in help; nil for an option without a value.
  let value: String?
  var help: String
  /// The permitted values; empty if any text is permitted.
  var choices: [String] = []
  /// The arguments that the parser puts in its place, if the option is an abbreviation.
  var expansion: [String] = []

  /// The name and the placeholder, as help shows them.
  var usage: String { name + (value.map { " " + $0 } ?? "") }

  /// An option that is an abbreviation of other arguments.
  static func abbreviation(_ name: String, for expansion: String...) -> OptionDescription {
    OptionDescription(
      name: name, value: nil, help: "the same as " + expansion.joined(separator: " "), expansion: expansion)
  }
}

/// An option that a verb declares.
protocol DeclaredOption {
  var description: OptionDescription { get }
  /// Parses the texts that the command line gives the option, in their order.
  func read(_ texts: [String]) throws
}

/// An option of a verb, declared with its description: `@Option("-n", "N", "maximum number of hits") var limit: Int?`.
/// The type of the property decides how its value is parsed.
@propertyWrapper
struct Option<Value>: DeclaredOption {
  /// The value is set when the command line is parsed, after the verb was initialised.
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  let description: OptionDescription
  private let storage: Storage
  private let parse: ([String]) throws -> Value

  var wrappedValue: Value { storage.value }
  /// The name with its dashes.
  var projectedValue: String { description.name }

  private init(_ description: OptionDescription, _ preset: Value, _ parse: @escaping ([String]) throws -> Value) {
    (self.description, storage, self.parse) = (description, Storage(preset), parse)
    DeclaredOptions.add(self)
  }

  func read(_ texts: [String]) throws { storage.value = try parse(texts) }
}

extension Option where Value == Bool {
  init(_ name: String, _ help: String) {
    self.init(OptionDescription(name: name, value: nil, help: help), false) { _ in true }
  }

  /// An abbreviation, which the parser expands.
  init(_ name: String, for expansion: String) {
    self.init(.abbreviation(name, for: expansion), false) { _ in true }
  }
}

extension Option where Value == [String] {
  /// An option that may be repeated.
  init(_ name: String, _ value: String, _ help: String) {
    self.init(OptionDescription(name: name, value: value, help: help), []) { $0 }
  }
}

extension Option {
  /// An option that may be given once, or several times with the same value.
  init<Parsed>(
    _ name: String, _ value: String, _ help: String, choices: [String] = [],
    parse: @escaping (String) throws -> Parsed?
  ) where Value == Parsed? {
    let description = OptionDescription(name: name, value: value, help: help, choices: choices)
    self.init(description, nil) { texts in
      if let other = texts.first(where: { $0 != texts[0] }) {
        throw CommandError("\(name) takes one value, not both '\(texts[0])' and '\(other)'")
      }
      return try texts.first.flatMap(parse)
    }
  }

  /// An option whose value must have a form.
  ///
  /// - Parameter form: The form, as the rest of the sentence "--name takes".
  init<Parsed>(
    _ name: String, _ value: String, _ help: String, choices: [String] = [], form: String,
    _ parse: @escaping (String) -> Parsed?
  ) where Value == Parsed? {
    self.init(name, value, help, choices: choices) { text in
      guard let parsed = parse(text) else { throw CommandError("\(name) takes \(form), not '\(text)'") }
      return parsed
    }
  }

  /// An option that takes one of a few values. Its help is `lead`, followed by these values.
  init<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: String, _ lead: String = ""
  ) where Value == Choice? {
    let choices = Choice.allCases.map(\.rawValue)
    self.init(
      name, value, lead + HumanText.alternatives(choices), choices: choices,
      form: choices.joined(separator: ", "), Choice.init(rawValue:))
  }

  init<Number: FixedWidthInteger>(
    _ name: String, _ value: String, _ help: String, atLeast minimum: Number = 0
  ) where Value == Number? {
    self.init(name, value, help, form: "a whole number from \(minimum)") { text in
      Number(text).flatMap { $0 >= minimum ? $0 : nil }
    }
  }
}

extension Option where Value == String? {
  init(_ name: String, _ value: String, _ help: String) { self.init(name, value, help) { $0 } }
}

extension Option where Value == Int? {
  /// A duration in milliseconds, such as `10s`, `500ms` or `2m`; a number without a unit is in seconds.
  init(time name: String, _ value: String, _ help: String) {
    self.init(name, value, help, form: "a time such as 10s, 500ms or 2m") {
      DurationText.milliseconds($0, unitless: 1_000)
    }
  }

  /// A size such as `256M`, `1G` or `64k`, in powers of 1024; a number without a unit is in bytes.
  init(bytes name: String, _ value: String, _ help: String) {
    self.init(name, value, help, form: "a size such as 256M, 1G or 0") { text in
      let shifts: [Character: Int] = ["k": 10, "m": 20, "g": 30]
      let shift = text.lowercased().last.flatMap { shifts[$0] }
      guard let number = Int(shift == nil ? text[...] : text.dropLast()), number >= 0,
        number <= Int.max >> (shift ?? 0)
      else { return nil }
      return number << (shift ?? 0)
    }
  }
}

extension Option where Value == Double? {
  /// An age such as `7d`, `12h`, `30m` or `10s`, in seconds. The unit is required: without this rule, a forgotten unit
  /// could remove a week of history.
  init(age name: String, _ value: String, _ help: String) {
    self.init(name, value, help, form: "an age such as 7d, 12h or 30m") {
      DurationText.milliseconds($0, unitless: nil).map { Double($0) / 1_000 }
    }
  }
}
