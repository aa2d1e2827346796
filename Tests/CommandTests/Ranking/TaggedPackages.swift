// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// A fixed tenth of the packages that apt knows. Their tags, which no record has, say what kinds of programs they are.
struct TaggedPackages {
  private struct Package: Encodable {
    let name: String
    let version: String
    let installedSize: Int
    let section: String
    let maintainer: String
    let summary: String
    let body: String
    let depends: [String]
  }

  /// Whether apt has lists of packages.
  static var areListed: Bool {
    let lists = try? FileManager.default.contentsOfDirectory(atPath: "/var/lib/apt/lists")
    return lists?.contains { $0.contains("_Packages") } ?? false
  }

  private var packages: [Package] = []
  private var tags: [String: Set<String>] = [:]

  init() throws {
    for text in try Self.chosen() {
      let fields = Self.fields(text)
      guard let name = fields["Package"], tags[name] == nil else { continue }
      func list(_ field: String) -> [String] {
        fields[field, default: ""].split(whereSeparator: { $0 == "," || $0 == "\n" })
          .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      }
      tags[name] = Set(list("Tag"))
      let body = fields["Description", default: fields["Description-en", default: ""]]
      packages.append(
        Package(
          name: name, version: fields["Version", default: ""],
          installedSize: Int(fields["Installed-Size", default: "0"]) ?? 0, section: fields["Section", default: ""],
          maintainer: String(fields["Maintainer", default: ""].prefix { $0 != "<" })
            .trimmingCharacters(in: .whitespaces),
          summary: String(body.prefix { $0 != "\n" }), body: body,
          depends: list("Depends").map { String($0.prefix { $0 != " " }) }))
    }
  }

  /// The packages that have all of some tags.
  func named(by wanted: some Sequence<Substring>) -> Set<String> {
    let wanted = Set(wanted.map(String.init))
    return Set(tags.filter { wanted.isSubset(of: $0.value) }.keys)
  }

  /// Writes each package as a line of JSON.
  func write(to path: String) throws {
    let encoder = JSONEncoder()
    let lines = try packages.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
    try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
  }

  /// The paragraphs of a tenth of the packages. It follows from their names, so that no new package changes it.
  private static func chosen() throws -> [String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/apt-cache")
    process.arguments = ["dumpavail"]
    process.standardOutput = output
    try process.run()
    var listed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // A zero byte ends the last paragraph.
    listed.append(0)
    let start = Array("Package: ".utf8)
    var chosen: [String] = []
    listed.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      let text = bytes.bindMemory(to: CChar.self).baseAddress!
      var position = 0
      while position < bytes.count - 1 {
        let length =
          strstr(text + position, "\n\n").map { UnsafePointer($0) - (text + position) } ?? bytes.count - 1 - position
        let paragraph = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + length)])
        position += length + 2
        guard paragraph.starts(with: start) else { continue }
        let name = paragraph.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\n") }
        if name.reduce(0, { $0 + Int($1) }) % 10 == 0 { chosen.append(String(decoding: paragraph, as: UTF8.self)) }
      }
    }
    return chosen
  }

  private static func fields(_ paragraph: String) -> [String: String] {
    var fields: [String: String] = [:]
    var name = ""
    for line in paragraph.split(separator: "\n") {
      if line.first == " " {
        fields[name, default: ""] += "\n" + line
      } else if let colon = line.firstIndex(of: ":") {
        name = String(line[..<colon])
        fields[name] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
      }
    }
    return fields
  }
}
