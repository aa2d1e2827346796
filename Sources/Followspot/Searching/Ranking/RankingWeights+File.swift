// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

extension RankingWeights {
  /// The environment variable that names a file of weights. It is for those who change the ranking.
  private static let variable = "FOLLOWSPOT_WEIGHTS"

  /// Read once in a process.
  private static let chosen = Result<RankingWeights, any Error> {
    guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return RankingWeights() }
    return try RankingWeights(file: path)
  }

  /// The weights of this process: the standard ones, or those of the file that `FOLLOWSPOT_WEIGHTS` names.
  ///
  /// - Throws: `OperationError.usage` if the file cannot be read or has other lines than weights.
  static func current() throws -> RankingWeights { try chosen.get() }

  init(file path: String) throws {
    let text: String
    do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw OperationError(.usage, "the file of weights '\(path)' cannot be read", cause: error)
    }
    try self.init(lines: text, of: path)
  }

  /// - Parameters:
  ///   - text: Lines `name = value`. Empty lines and those that begin with `#` say nothing.
  ///   - file: What errors call the text.
  /// - Throws: `OperationError.usage` for an unknown name, for one that is set twice, and for a value that is not a number.
  init(lines text: String, of file: String) throws {
    var values = try JSONDecoder().decode([String: Double].self, from: JSONEncoder().encode(RankingWeights()))
    var isSet: Set<String> = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let place = "\(file), line \(index + 1)"
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { part in String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }
      guard !parts[0].isEmpty || parts.count == 2, !parts[0].hasPrefix("#") else { continue }
      guard parts.count == 2 else { throw OperationError(.usage, "\(place): '\(parts[0])' is not 'name = value'") }
      let (name, value) = (parts[0], parts[1])
      guard values[name] != nil else {
        let nearest = NearestNames.of(name, among: values.keys.sorted())
        throw OperationError(
          .usage, "\(place): no weight is named '\(name)'",
          recovery: nearest.isEmpty ? .knownNames(values.keys.sorted()) : .nearestNames(nearest))
      }
      guard isSet.insert(name).inserted else { throw OperationError(.usage, "\(place): \(name) is set twice") }
      guard let number = Double(value), number.isFinite else {
        throw OperationError(.usage, "\(place): \(name): '\(value)' is not a number")
      }
      values[name] = number
    }
    self = try JSONDecoder().decode(RankingWeights.self, from: JSONEncoder().encode(values))
  }
}
