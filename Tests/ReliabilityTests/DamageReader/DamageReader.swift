// SPDX-License-Identifier: MIT

import Base
internal import Followspot
internal import Foundation
internal import SearchIndex
internal import Store
internal import TestSupport

/// Damages copies of a database again and again, and reads each one as the verbs do. It is a process of its own, so that
/// a crash, a loop without an end and a lack of memory show.
///
///     DamageReader FILE DIRECTORY FIRST COUNT
///
/// FILE may have a `-wal`. It prints `seed N: DAMAGE` before each round, and after it a line that begins with the outcome.
@main
enum DamageReader {
  /// The outcome of reading a damaged database.
  enum Outcome: String {
    /// A verb ended with an error.
    case refused
    /// It is read, and a remark says what is missing.
    case remarked
    /// It reads as before.
    case harmless
    /// It reads otherwise without a word: values have changed in a sound structure.
    case silent
    /// The same with a damaged `-wal`, of which SQLite reads the beginning.
    case earlier
    /// An error without a type of the program, a path or a hint.
    case unclear
  }

  /// The content of the undamaged database.
  private struct Content: Equatable {
    var remarks: [String] = []
    var definition: String = ""
    var documents = CanonicalDump()
    var transactions = 0
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let first = Int(arguments[3]), let count = Int(arguments[4]) else { exit(2) }
    var limit = rlimit(rlim_cur: 6 << 30, rlim_max: 6 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    let files = ["", "-wal"].compactMap { suffix in
      FileManager.default.contents(atPath: arguments[1] + suffix).map { (suffix, [UInt8]($0)) }
    }.filter { !$0.1.isEmpty }
    let path = arguments[2] + "/store.sqlite"
    try lay(files, at: path)
    let whole = try read(path, round: 0)
    for seed in first..<(first + count) {
      try lay(files, at: path)
      let (suffix, bytes) = files[seed % files.count]
      let damages = Damage.several(size: bytes.count, seed: seed / files.count)
      say("seed \(seed): \(suffix) \(damages.map(\.description).joined(separator: ", "))")
      for damage in damages { try damage.happen(to: path + suffix) }
      let (outcome, text) = judge(path, suffix, whole)
      say("\(outcome.rawValue) \(text.replacingOccurrences(of: "\n", with: " "))")
    }
    // Not rusage: a child inherits the peak of the process that started it.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst().first
    say("peak \((peak.flatMap { Int($0) } ?? .max) >> 10)")
  }

  private static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
  }

  private static func lay(_ files: [(String, [UInt8])], at path: String) throws {
    for suffix in ["", "-wal", "-shm", "-journal", ".index"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    for (suffix, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: path + suffix)) }
  }

  private static func judge(_ path: String, _ suffix: String, _ whole: Content) -> (Outcome, String) {
    do {
      let found = try read(path, round: 1)
      guard found != whole else { return (.harmless, "") }
      guard found.remarks == whole.remarks else { return (.remarked, "\(found.remarks)") }
      return (suffix == "-wal" ? .earlier : .silent, "")
    } catch let error as StoreError {
      let isClear = error.message.contains(path) && error.recovery != nil
      return (isClear ? .refused : .unclear, "\(error.code) \(error) / \(error.recovery, default: "-")")
    } catch let error as OperationError {
      return (error.action == nil ? .unclear : .refused, "\(error)")
    } catch {
      return (.unclear, "\(type(of: error)): \(error)")
    }
  }

  /// What `schema`, `index`, `status`, `search`, `history` and `verify` read.
  private static func read(_ path: String, round: Int) throws -> Content {
    var content = Content()
    let index = IndexDirectory(path: path + ".index")
    let store = try StoreFile.open(path)
    content.remarks = store.remarks
    let definition = try IndexDefinition.inferred(from: store)
    content.definition = try definition.digest()
    _ = try Pass.run(Indexer.Options(storePath: path, directory: index))
    _ = try Status(storePath: path, directory: index)
    _ = try Searcher(storePath: path, directory: index).search(SearchRequest(query: "*"))
    try store.transactions { content.transactions += 1 + $0.changes.count }
    let verified = try Verify(storePath: path, directory: index).run(isQuick: false)
    guard verified.isEqual else {
      throw StoreError(.corrupt, "\(path): index and store differ")
    }
    content.documents = try CanonicalDump(of: index)
    return content
  }
}
