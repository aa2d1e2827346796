// SPDX-License-Identifier: MIT

internal import Foundation
internal import SQLite
internal import TestSupport

/// The packages that apt knows, as rows of an ordinary database without history.
struct DebianPackages {
  private struct Package {
    let name: String
    var summary = ""
    var section = ""
    var maintainer = ""
    var size: Int64 = 0
  }

  private let packages: [Package]

  /// - Throws: `MeasuringProgram.Failure` where apt has no lists.
  init() throws {
    packages = Self.parse(try Self.available())
    guard !packages.isEmpty else {
      throw MeasuringProgram.Failure("apt-cache lists no packages", hint: "apt-get update")
    }
  }

  /// The output of `apt-cache dumpavail`.
  private static func available() throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/apt-cache")
    process.arguments = ["dumpavail"]
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  private static func parse(_ text: String) -> [Package] {
    var found: [Package] = []
    for line in text.split(separator: "\n") where line.first != " " {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = String(line[colon...].dropFirst(2))
      switch line[..<colon] {
      case "Package": found.append(Package(name: value))
      case "Description": found[found.count - 1].summary = value
      case "Section": found[found.count - 1].section = value
      case "Maintainer": found[found.count - 1].maintainer = value
      case "Size": found[found.count - 1].size = Int64(value) ?? 0
      default: break
      }
    }
    return found
  }

  /// Adds rows to the table `package` of a database until it has that many: the packages over and over, each name with
  /// the number of its row, each summary with that of another package.
  ///
  /// - Throws: `MeasuringProgram.Failure` if there are more already.
  func fill(_ path: String, rows: Int) throws {
    let database = try Connection(path: path, access: .create)
    try database.execute(
      """
      PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
      CREATE TABLE IF NOT EXISTS package
        (id INTEGER PRIMARY KEY, name TEXT NOT NULL, summary TEXT, section TEXT, maintainer TEXT, size INTEGER);
      """)
    let present = Int(try database.integer("SELECT count(*) FROM package") ?? 0)
    guard present <= rows else {
      throw MeasuringProgram.Failure("\(path) has \(present) rows", hint: "name another directory with --into")
    }
    // What has not changed needs no comparison with its index.
    guard present < rows else { return }
    let insert = try database.statement("INSERT INTO package VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    try database.beginWrite()
    for number in present..<rows {
      let (package, other) = (packages[number % packages.count], packages[number &* 7_919 % packages.count])
      try insert.bind(.integer(Int64(number + 1)), at: 1)
      try insert.bind("\(package.name)-\(number)", at: 2)
      try insert.bind("\(package.summary) \(other.summary)", at: 3)
      try insert.bind(package.section, at: 4)
      try insert.bind(package.maintainer, at: 5)
      try insert.bind(.integer(package.size), at: 6)
      try insert.run()
    }
    try database.commit()
  }
}
