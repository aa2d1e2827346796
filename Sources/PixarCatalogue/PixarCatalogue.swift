// SPDX-License-Identifier: MIT

import Foundation

/// Manages a catalogue of films with SwiftData: `pixar-catalogue VERB STORE ARGUMENT [--author NAME]`
@main
enum PixarCatalogue {
  private static let usage = """
    usage: pixar-catalogue add STORE FILE [--author NAME]        films from a file of JSON lines
           pixar-catalogue favor STORE TITLE [--author NAME]     mark a film as a favorite
           pixar-catalogue delete STORE TITLE [--author NAME]
    """

  static func main() {
    do {
      let text = try run(Array(CommandLine.arguments.dropFirst()))
      FileHandle.standardOutput.write(Data(text.utf8))
    } catch {
      FileHandle.standardError.write(Data("pixar-catalogue: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func run(_ arguments: [String]) throws -> String {
    var words = arguments
    var author = "pixar-catalogue"
    if let option = words.firstIndex(of: "--author") {
      guard option + 1 < words.count else { throw CatalogueError("--author needs a name\n" + usage) }
      author = words[option + 1]
      words.removeSubrange(option...(option + 1))
    }
    guard words.count == 3 else { throw CatalogueError("a verb, a store and one argument are needed\n" + usage) }
    switch words[0] {
    case "add":
      let films = try FilmFacts.read(words[2])
      return try Catalogue(path: words[1], author: author).add(films)
    case "favor": return try Catalogue(path: words[1], author: author).favor(words[2])
    case "delete": return try Catalogue(path: words[1], author: author).delete(words[2])
    default: throw CatalogueError("there is no verb '\(words[0])'\n" + usage)
    }
  }
}
