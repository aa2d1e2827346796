// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The references in documents: guides, files, tests and types.
@Suite(.overlapping)
struct GuideLinkTests {
  private static let documents =
    Guide.all.map(\.path) + [".github/CONTRIBUTING.md", ".github/SECURITY.md", ".github/CHANGELOG.md"]

  /// A file that CONTRIBUTING tells the reader to create.
  private static let imagined = "Sources/FollowspotCLI/Commands/NameCommand.swift"

  /// The names of files and directories without their suffix, and `Model` for `Model+Store.swift`.
  private static let names: Set<String> = {
    let directories = ["Sources", "Tests", "Index"].map { Guide.root.appending(path: $0).path }
    return directories.reduce(into: []) { names, directory in
      for path in FileManager.default.subpaths(atPath: directory) ?? [] {
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        names.formUnion([name, name.components(separatedBy: "+")[0]])
      }
    }
  }()

  /// The names of functions, properties and cases in the sources.
  private static let members: Set<String> = {
    ["Sources", "Index"].map { Guide.root.appending(path: $0).path }.reduce(into: []) { names, root in
      for path in FileManager.default.subpaths(atPath: root) ?? [] where path.hasSuffix(".swift") {
        let code = (try? String(contentsOfFile: root + "/" + path, encoding: .utf8)) ?? ""
        names.formUnion(code.matches(of: #/\b(?:func|var|let|case) (\w+)/#).map { String($0.1) })
      }
    }
  }()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Guide.root.appending(path: path), encoding: .utf8)
  }

  /// The code spans in the sentences and tables of a document.
  private func codes(_ path: String) throws -> Set<String> {
    let prose = try text(path).components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }
    return Set(prose.flatMap { $0.element.matches(of: /`([^`\n]+)`/).map { String($0.1) } })
  }

  @Test(arguments: documents)
  func `files, tests and types that a document names exist`(_ document: String) throws {
    func isFile(_ path: String) -> Bool {
      FileManager.default.fileExists(atPath: Guide.root.appending(path: path).path)
    }
    for code in try codes(document) where code != Self.imagined {
      if code.wholeMatch(of: /(Sources|Tests|Index|\.github|\.ci)\/[\w.\/+-]+/) != nil {
        #expect(isFile(code), "\(document)")
      } else if code.wholeMatch(of: /(PersistentStore|Followspot|SearchIndex)\/[\w.\/+]+/) != nil {
        #expect(isFile("Sources/" + code) || isFile("Sources/\(code).swift"), "\(document): \(code)")
      } else if code.wholeMatch(of: /\w+Tests/) != nil {
        #expect(Self.names.contains(code), "\(document): \(code)")
      } else if document.hasSuffix("/Architecture.md"), code.wholeMatch(of: /([A-Z][a-z]+){2,}(\+\w+)?/) != nil {
        #expect(Self.names.contains(code), "\(document): \(code)")
      } else if document.hasSuffix("/Architecture.md"), let name = code.wholeMatch(of: /[A-Z]\w+\.([a-z]\w+)/)?.output.1
      {
        #expect(Self.members.contains(String(name)), "\(document): \(code)")
      }
    }
  }

  @Test func `the page of each catalogue links to all its guides, and its links lead to guides`() throws {
    let catalogues = Dictionary(grouping: Guide.all.map(\.path).dropFirst()) { $0.components(separatedBy: "/")[1] }
    #expect(catalogues.count == 2)
    for (module, paths) in catalogues {
      let guides = Set(paths.map { (($0 as NSString).lastPathComponent as NSString).deletingPathExtension })
      for path in paths {
        let links = Set(try text(path).matches(of: /<doc:(\w+)>/).map { String($0.1) })
        #expect(links.isSubset(of: guides), "\(path)")
        if path.hasSuffix("/\(module).md") { #expect(links.union([module]) == guides) }
      }
    }
  }

  @Test func `README is short, and its links lead to files`() throws {
    let readme = try text("README.md")
    #expect(readme.count { $0 == "\n" } <= 180)
    let links = readme.matches(of: /\]\(([^):#]+)(#[^)]*)?\)/).map { String($0.1) }
    #expect(links.count > 10)
    for link in links {
      #expect(FileManager.default.fileExists(atPath: Guide.root.appending(path: link).path), "\(link)")
    }
  }
}
