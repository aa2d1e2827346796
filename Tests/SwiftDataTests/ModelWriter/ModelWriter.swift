// SPDX-License-Identifier: MIT

internal import SwiftData

#if canImport(Glibc)
  internal import Glibc
#endif

/// Another process with a context on a store of the tests. It saves as the author that it is told, and says of each
/// save when it was done, in seconds since 2001.
///
///     ModelWriter STORE AUTHOR append COUNT MILLISECONDS   so many entries, one a save, with a pause after each
///     ModelWriter STORE AUTHOR discuss COUNT               so many comments on the entry "shared", one a save
///     ModelWriter STORE AUTHOR set TITLE PROPERTY VALUE    one property of one entry
///     ModelWriter STORE AUTHOR delete TITLE                one entry
///     ModelWriter STORE AUTHOR visit                       what `Visit` does, which prints what it finds
///     ModelWriter STORE AUTHOR keywords                    prints the keywords of a Photos library
@main
enum ModelWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 3 else { exit(2) }
    if arguments[3] == "keywords" { return try KeywordTitles.printAll(URL(fileURLWithPath: arguments[1])) }
    let container = try ModelContainer(
      for: Entry.self, Comment.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: arguments[1])))
    let context = ModelContext(container)
    context.author = arguments[2]
    if arguments[3] == "visit" {
      return try await Visit(container, author: arguments[2], URL(fileURLWithPath: arguments[1])).run()
    }
    switch (arguments[3], Array(arguments.dropFirst(3))) {
    case ("append", let rest) where rest.count == 2:
      for number in 0..<(Int(rest[0]) ?? 0) {
        context.insert(Entry("\(arguments[2])-\(number)", day: number))
        try save(context)
        usleep((UInt32(rest[1]) ?? 0) * 1_000)
      }
    case ("discuss", let rest) where rest.count == 1:
      for number in 0..<(Int(rest[0]) ?? 0) { try discuss(context, arguments[2], number) }
    case ("set", let rest) where rest.count == 3:
      let entry = try entry(rest[0], context)
      switch rest[1] {
      case "title": entry.title = rest[2]
      case "topic": entry.topic = rest[2]
      default: entry.day = Int(rest[2]) ?? 0
      }
      try save(context)
    case ("delete", let rest) where rest.count == 1:
      context.delete(try entry(rest[0], context))
      try save(context)
    default: exit(2)
    }
  }

  private static func entry(_ title: String, _ context: ModelContext) throws -> Entry {
    let found = try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.title == title }))
    guard let entry = found.first else { exit(3) }
    return entry
  }

  /// One comment more, an entry of its own, and a change of its last comment, in one save.
  private static func discuss(_ context: ModelContext, _ author: String, _ number: Int) throws {
    let shared = try entry("shared", context)
    let comment = Comment("\(author)-\(number)")
    shared.comments.append(comment)
    context.insert(Entry("\(author)-\(number)", topic: "begun", day: number))
    if number > 0 { try entry("\(author)-\(number - 1)", context).topic = "done" }
    try save(context)
  }

  /// Others may hold the store for long: then the context keeps its changes, and another try saves them.
  private static func save(_ context: ModelContext) throws {
    while true {
      do {
        try context.save()
        return say("\(Date.now.timeIntervalSinceReferenceDate)")
      } catch SwiftDataError.saveFailure {
        FileHandle.standardError.write(Data("waits\n".utf8))
      }
    }
  }

  private static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
  }
}
