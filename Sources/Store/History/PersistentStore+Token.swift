// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// The token of transaction `number`, or of the newest one. Call it inside a snapshot.
  package func token(of number: Int64? = nil) throws -> StoreToken {
    let number = try number ?? newest()
    if !tracking.hasHistory {
      // A file just written may be written again with the same marks. No later stamp equals 0.
      let stamp = marks.map { $0.isRecent ? 0 : $0.digest } ?? 0
      return StoreToken(storeUUID: uuid, number: number, stamp: stamp, modelDigest: modelDigest)
    }
    return StoreToken(storeUUID: uuid, number: number, stamp: try stamp(of: number), modelDigest: modelDigest)
  }

  /// Whether `token` is still valid. Call it inside the snapshot in which the history is read.
  package func verdict(on token: StoreToken?) throws -> TokenVerdict {
    guard let token else { return .noToken }
    return try Self.translating(path) {
      guard tracking.hasHistory else { return try verdictByMarks(token) }
      let newest = try newest()
      guard let stamp = token.stamp else {
        guard token.storeUUID == uuid, token.number <= newest else { return .expired(missing: []) }
        return try verdictOnNumbers(after: token, newest: newest)
      }
      guard token.storeUUID == uuid else {
        let isBefore = tracking == .attached && token.storeUUID == FileMarks.identity(ofFileAt: path)
        return .diverged(isBefore ? .beforeAttaching : .otherStore(uuid: token.storeUUID))
      }
      guard token.number <= newest else { return .diverged(.newerThanStore(newest: newest)) }
      guard let found = try self.stamp(of: token.number) else {
        return .expired(missing: try missingNumbers(after: token.number - 1, through: newest))
      }
      guard found == stamp else { return .diverged(.otherHistory) }
      return try verdictOnNumbers(after: token, newest: newest)
    }
  }

  /// The verdict for a file without history. The current marks are those of the snapshot, or newer. If the token
  /// belongs to another file, comparing rows is right all the same.
  private func verdictByMarks(_ token: StoreToken) throws -> TokenVerdict {
    guard token.modelDigest == modelDigest else { return .modelChanged }
    return try token.storeUUID == uuid && token.stamp == currentMarks().digest ? .valid : .mayHaveChanged
  }

  private func verdictOnNumbers(after token: StoreToken, newest: Int64) throws -> TokenVerdict {
    let missing = try missingNumbers(after: token.number, through: newest)
    guard missing.isEmpty else { return .expired(missing: missing) }
    let migrations = newest == token.number ? (count: 0, growing: 0) : try migrations(after: token.number)
    if token.modelDigest == modelDigest {
      // Two migrations may restore the model, but not the rows, and the history does not record what those lost. A
      // reader that starts with the first transaction misses nothing.
      return migrations.count == 0 || token.number == 0 ? .valid : .modelChanged
    }
    if let entities = try entitiesChangedUnlogged(since: token) { return entities.isEmpty ? .valid : .mayHaveChanged }
    return migrations.count > 0 && migrations.growing == migrations.count ? .modelGrown : .modelChanged
  }

  /// The entities of an attached database whose rows may differ from those at a token although the log has no change of
  /// them, because the schema was changed; nil if all may, or if there is no log.
  package func entitiesChangedUnlogged(since token: StoreToken?) throws -> [EntityLayout]? {
    guard let token, let names = try tables?.entitiesChangedUnlogged(since: token) else { return nil }
    return layout.entities.filter { names.contains($0.entity.name) }
  }

  /// The number of migrations after transaction `number`, and how many of them only added to the model.
  private func migrations(after number: Int64) throws -> (count: Int64, growing: Int64) {
    try connection.firstRow(
      """
      SELECT COUNT(*), COUNT(CASE WHEN c.ZNAME = ?2 THEN 1 END) FROM ATRANSACTION t
      LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS
      WHERE t.Z_PK > ?1 AND t.ZAUTHORTS IN (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME GLOB '\(Self.migrator)*')
      """, [.integer(number), .text(Self.growth)]
    ) { ($0.integer(at: 0), $0.integer(at: 1)) } ?? (0, 0)
  }

  /// The first ten ranges of numbers after `number` that have no transaction any more. Call it inside a snapshot.
  package func missingTransactions(after number: Int64, through last: Int64 = .max) throws -> [ClosedRange<Int64>] {
    try Self.translating(path) { try missingNumbers(after: max(number, 0), through: min(last, newest())) }
  }

  /// Whether transaction `number` still exists, so that a token that refers to it is valid.
  package func hasTransaction(_ number: Int64) throws -> Bool {
    try Self.translating(path) { try stamp(of: number) != nil }
  }

  private func stamp(of number: Int64) throws -> UInt64? {
    try connection.firstRow("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(number)]) {
      $0.double(at: 0).bitPattern
    }
  }

  /// The first ten ranges of numbers that have no transaction.
  private func missingNumbers(after number: Int64, through last: Int64) throws -> [ClosedRange<Int64>] {
    let count = try connection.integer(
      "SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK > ?1 AND Z_PK <= ?2", [.integer(number), .integer(last)])
    guard count ?? 0 < last - number else { return [] }
    let statement = try connection.statement(
      "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK > ?1 AND Z_PK <= ?2 ORDER BY Z_PK")
    defer { statement.reset() }
    try statement.bind(number, at: 1)
    try statement.bind(last, at: 2)
    var missing: [ClosedRange<Int64>] = []
    var expected = number + 1
    while missing.count < 10, try statement.step() {
      let found = statement.integer(at: 0)
      if found > expected { missing.append(expected...(found - 1)) }
      expected = found &+ 1
    }
    if missing.count < 10, expected <= last { missing.append(expected...last) }
    return missing
  }
}
