// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import FoundationEssentials
internal import Glibc
internal import SearchIndex

/// The program `pixar-catalogue`, which saves the tour's films with SwiftData.
struct CatalogueProgram {
  private static let name = "pixar-catalogue"

  /// The program's name as a person types it in the shell.
  let shown: String
  private let path: String

  /// The program in the directory of the running program; nil if it is not there.
  static func besideThisProgram(calledAs program: String) -> CatalogueProgram? {
    guard let path = FilePath.own.map(beside), access(path, X_OK) == 0 else { return nil }
    return CatalogueProgram(shown: beside(program), path: path)
  }

  private static func beside(_ program: String) -> String {
    program.lastIndex(of: "/").map { program[...$0] + name } ?? name
  }

  /// Runs the program and returns its output.
  func run(_ words: [String]) throws -> String {
    let (output, isSuccess) = try ChildProcess.run(path, [Self.name] + words)
    guard isSuccess else {
      throw OperationError(.unequal, "\(command(words)) failed: \(output)", recovery: .report)
    }
    return output
  }

  /// The command line as a person would type it.
  func command(_ words: [String]) -> String {
    let quoted = words.map { word in
      word.allSatisfy { $0.isLetter || $0.isNumber || "-_./".contains($0) } ? word : "'\(word)'"
    }
    return ([shown] + quoted).joined(separator: " ")
  }
}

/// The steps of a tour in which the catalogue program saves the films.
extension Tour {
  private var factsPath: String { directory + "/pixar-films.jsonl" }

  static func definition() throws -> IndexDefinition {
    try IndexDefinition(json: Data(PackageResources.pixar_definition_json))
  }

  func makeStore(with catalogue: CatalogueProgram) throws {
    try writeFacts()
    say("1. A program that uses SwiftData saves films, people and their credits in one transaction.")
    try run(catalogue, ["add", shown(storePath), shown(factsPath), "--author", Self.author])
  }

  func change(with catalogue: CatalogueProgram) throws {
    try run(catalogue, ["favor", shown(storePath), "WALL-E", "--author", Self.otherAuthor])
    try waitForFollower()
    try show("is:favorite")
    say("\n4. That author deletes a film. The history preserves the title, and the index removes the document.")
    try show("cars")
    try run(catalogue, ["delete", shown(storePath), "Cars 2", "--author", Self.otherAuthor])
    try waitForFollower()
    try show("cars")
  }

  private func run(_ catalogue: CatalogueProgram, _ words: [String]) throws {
    say("   $ " + catalogue.command(words))
    for line in try catalogue.run(words).split(separator: "\n") { say("   " + line) }
  }

  /// Writes the file of films. An existing file with other content belongs to the user, and is not overwritten.
  private func writeFacts() throws {
    let facts = PackageResources.pixar_films_jsonl
    if access(factsPath, F_OK) == 0 {
      guard try InputFile.open(factsPath).copy().elementsEqual(facts) else {
        throw CommandError("\(factsPath) is not of an earlier tour", hint: Self.otherPath)
      }
      return
    }
    let file = open(factsPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, write(file, facts, facts.count) == facts.count else {
      if file >= 0 { unlink(factsPath) }
      throw OperationError(.file, "\(factsPath) cannot be written: \(String(cString: strerror(errno)))")
    }
  }
}
