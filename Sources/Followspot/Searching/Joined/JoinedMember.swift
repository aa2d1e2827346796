// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// A store whose documents are in a joined index, and the files of the store and its index as they were then.
package final class JoinedMember: Sendable {
  /// The index of the store in the group.
  let part: Int
  let generation: Int
  /// The UUID of the store's own index.
  let uuid: String
  let token: StoreToken
  /// How much of the store its own index contains.
  let complete: Completeness
  /// The numbers of its documents in the joined index.
  let documents: ClosedRange<UInt32>
  private let marks: Marks

  /// The files on which the documents depend.
  private struct Marks: Equatable, Sendable {
    let store, stub, version: FileMark
    /// The path of the store without symbolic links, which determines the names of the files beside it.
    let file: String

    init?(path: String, file: String, directory: IndexDirectory, generation: Int) {
      guard let store = FileMark(path: path), let stub = FileMark(path: directory.path + "/XAPIANDB"),
        let version = FileMark(path: directory.path(ofGeneration: generation) + "/iamglass")
      else { return nil }
      (self.store, self.stub, self.version, self.file) = (store, stub, version, file)
    }

    init(store: FileMark, stub: FileMark, version: FileMark, file: String) {
      (self.store, self.stub, self.version, self.file) = (store, stub, version, file)
    }
  }

  /// Takes the marks of the files. What is read afterwards counts only if `isCurrent` is true then. nil if a file is missing.
  init?(
    part: Int, path: String, directory: IndexDirectory, generation: Int, uuid: String, token: StoreToken,
    complete: Completeness
  ) {
    let file = FileIdentity.realPath(path)
    guard !file.contains("\n"),
      let marks = Marks(path: path, file: file, directory: directory, generation: generation)
    else { return nil }
    (self.part, self.generation, self.uuid, self.token, self.marks) = (part, generation, uuid, token, marks)
    (self.complete, documents) = (complete, 0...0)
  }

  /// The same store with the numbers of its documents.
  init(_ member: JoinedMember, documents: ClosedRange<UInt32>) {
    (part, generation, uuid, token) = (member.part, member.generation, member.uuid, member.token)
    (marks, complete, self.documents) = (member.marks, member.complete, documents)
  }

  /// Whether the store and its index are as they were, and the log of the store is empty.
  ///
  /// A save in WAL mode writes to the log first, so the log is looked at first. In another mode it changes the file of the
  /// store before it is complete.
  func isCurrent(path: String, directory: IndexDirectory) -> Bool {
    CheckpointedFile.isLogEmpty(ofFileAt: marks.file)
      && (path == marks.file || FileIdentity.realPath(path) == marks.file)
      && marks == Marks(path: path, file: marks.file, directory: directory, generation: generation)
  }

  // MARK: Text

  /// One line without its end.
  var text: String {
    let numbers = [
      part, generation, Int(documents.lowerBound), Int(documents.upperBound), complete.documents,
    ].map { UInt64($0) }
    let marks = marks.store.numbers + marks.stub.numbers + marks.version.numbers
    return (numbers + marks).map(String.init).joined(separator: " ")
      + " \(uuid) \(token.text) \(complete.leftOut.word) \(self.marks.file)"
  }

  /// nil if it is not a number below 2^64.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (tens, isOver) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOverAgain) = tens.addingReportingOverflow(UInt64(digit) - 0x30)
      guard !isOver, !isOverAgain else { return nil }
      number = sum
    }
    return number
  }

  /// - Parameter line: As `text` gives it.
  init?(_ line: ArraySlice<UInt8>) {
    var rest = line
    func word() -> ArraySlice<UInt8>? {
      guard let end = rest.firstIndex(of: UInt8(ascii: " ")) else { return nil }
      defer { rest = rest[(end + 1)...] }
      return rest[..<end]
    }
    var numbers: [UInt64] = []
    for _ in 0..<20 {
      guard let number = word().flatMap(Self.number) else { return nil }
      numbers.append(number)
    }
    guard let uuid = word(), let number = word().flatMap(Self.number), let store = word(), let stamp = word(),
      let model = word(), let leftOut = word(), !rest.isEmpty, let part = Int(exactly: numbers[0]),
      let generation = Int(exactly: numbers[1]),
      let transaction = Int64(exactly: number), let first = UInt32(exactly: numbers[2]),
      let last = UInt32(exactly: numbers[3]),
      1 <= first, first <= last, let inIndex = Int(exactly: numbers[4]),
      let inStore = FileMark(numbers: numbers[5..<10]), let stub = FileMark(numbers: numbers[10..<15]),
      let version = FileMark(numbers: numbers[15..<20])
    else { return nil }
    (self.part, self.generation, documents) = (part, generation, first...last)
    func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    complete = Completeness(
      documents: inIndex, leftOut: LeftOutRows(word: text(leftOut)) ?? LeftOutRows(), pending: 0)
    self.uuid = text(uuid)
    token = StoreToken(
      storeUUID: text(store), number: transaction, stamp: UInt64(text(stamp), radix: 16), modelDigest: text(model))
    marks = Marks(store: inStore, stub: stub, version: version, file: text(rest))
  }
}
