// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

/// Verbs that do the same with each store of a group.
extension Call {
  /// Runs `body` with this call or, if it names a group or several stores, with a call on each of them. An error of one
  /// of them is printed, and the others go on.
  ///
  /// - Parameter takesRemotes: Whether `body` can answer from an index of another machine.
  /// - Returns: The highest exit code.
  /// - Throws: What `body` throws, if the call names one store.
  func eachStore(takesRemotes: Bool = false, _ body: (Call) throws -> ExitCode) throws -> ExitCode {
    guard let calls = try memberCalls(takesRemotes: takesRemotes) else { return try body(self) }
    var code = ExitCode.success
    var hasWorked = false
    var errors: [any Error] = []
    for call in calls {
      try call.withOwnHints {
        do {
          code = max(code, try body(call))
          hasWorked = true
        } catch {
          if (error as? OperationError)?.code == .stopped { throw error }
          Console.flush()
          ErrorReport.say(error, of: call.member)
          errors.append(error)
        }
      }
    }
    return errors.map { ErrorReport.code(ofGroup: $0, worked: hasWorked) }.reduce(code, max)
  }

  /// A call on each store of this call, in the order of the group; nil if the call names one store.
  func memberCalls(takesRemotes: Bool = false) throws -> [Call]? {
    let parts = takesRemotes ? try groupedParts() : try groupedStores()?.map(GroupedPart.store)
    return try parts?.map(part)
  }

  /// A call on each store of this call that keeps a history. The others of a group are named.
  ///
  /// - Parameter leaveOut: Is given the stores of a group that cannot be opened. Without it, they are an error.
  /// - Throws: `OperationError.usage` if none has a history; `MissingPart`.
  func callsWithHistory(_ leaveOut: ((MissingPart) -> Void)? = nil) throws -> [Call] {
    guard let calls = try memberCalls() else { return [self] }
    var (recorded, others): ([Call], [String]) = ([], [])
    for call in calls {
      do {
        if try call.store().tracking.hasHistory { recorded.append(call) } else { others += [call.member ?? ""] }
      } catch let error as StoreError {
        let missing = MissingPart(store: call.member ?? "", error)
        guard let leaveOut else { throw missing }
        leaveOut(missing)
      }
    }
    if recorded.isEmpty { try calls.first?.store().requireHistory() }
    Self.sayWithoutHistory(others)
    return recorded
  }

  static func sayWithoutHistory(_ names: [String]) {
    for name in names { Console.say("\(name) keeps no history of its changes, and is left out") }
  }

  /// Runs `body`, in which the commands in hints name the store of this call alone.
  func withOwnHints<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let member else { return try body() }
    let index = namesIndex ? place.map { "--index \($0.directory.path.quotedForShell) " } : nil
    return try CommandHints.with("--store \(member.quotedForShell) " + (index ?? ""), body)
  }

  /// The options that name the stores and the index of a call, for another process.
  struct Places: Codable {
    let stores: [String]
    /// Empty if the stores name their indexes.
    let indexes: [String]

    var options: [String: [String]] { ["--store": stores, "--index": indexes].filter { !$0.value.isEmpty } }
  }

  /// - Throws: As `storePath` and `indexDirectory`, if the call names one store.
  func places() throws -> Places {
    if try groupedParts() != nil { return Places(stores: try givenStores, indexes: options["--index"] ?? []) }
    if let replica = try replicaDirectory() { return Places(stores: [], indexes: [replica.path]) }
    return Places(stores: [try storePath()], indexes: [try indexDirectory().path])
  }

  /// What a line of output begins with: the name of the store in its group.
  var label: String { member.map { $0.printable + ": " } ?? "" }

  /// Prints a line on standard error.
  func say(_ sentence: String) { Console.say(label + sentence) }

  /// The object of a store, which begins with the name of the store in its group.
  func labelled(_ object: JSONObject) -> JSONObject { member.map { ["store": $0] + object } ?? object }

  /// Refuses an option that concerns one store.
  func refuseInGroup(_ option: String, isGiven: Bool, hint: String? = nil) throws {
    guard isGiven, try groupedParts() != nil else { return }
    throw CommandError("\(option) is about one store, not several", hint: hint)
  }
}
