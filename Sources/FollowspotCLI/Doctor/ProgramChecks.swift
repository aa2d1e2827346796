// SPDX-License-Identifier: MIT

internal import SQLite
internal import SearchIndex

/// Checks that do not depend on a store: libraries, locale and configuration.
enum ProgramChecks {
  static func findings(_ environment: [String: String]) -> [Doctor.Finding] {
    [
      .ok("sqlite", "version \(Connection.libraryVersion)\(Connection.hasResetBug() ? resetBug : "")"),
      .ok("xapian", "version \(IndexReader.libraryVersion)"), locale(environment),
    ]
  }

  private static let resetBug =
    ", which has the WAL-reset bug (fixed in 3.51.3, 3.50.7 and 3.44.6): processes of followspot avoid it among themselves, "
    + "but two other programs that write one database at the same time can damage it"

  private static func locale(_ environment: [String: String]) -> Doctor.Finding {
    guard let (set, name) = Glyphs.locale(environment) else {
      return .warn(
        "locale", "no locale is set: a terminal may show other characters than are in the records",
        hint: "set LANG=C.UTF-8 in the environment")
    }
    guard Glyphs.isUTF8(locale: name) else {
      return .warn("locale", "\(set)=\(name) is not UTF-8", hint: "set \(set)=C.UTF-8 in the environment")
    }
    return .ok("locale", "\(set)=\(name)")
  }

  static func configuration(_ environment: [String: String]) -> Doctor.Finding {
    do {
      let configuration = try Configuration.load(environment: environment)
      if let problem = configuration.problem { return .fail("configuration", problem) }
      guard configuration.exists, let file = configuration.file else { return .ok("configuration", "none") }
      return .ok("configuration", "\(file), \(HumanText.count(configuration.profiles.count, "store"))")
    } catch {
      return .fail("configuration", error)
    }
  }
}
