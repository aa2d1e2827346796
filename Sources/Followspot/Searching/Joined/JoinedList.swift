// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

/// The list of the stores in a joined index, which is a file in its directory.
///
/// The first line is the version, and the second one has what all stores have in common. Then comes a line for each store,
/// and the last line is the digest of all lines before it.
struct JoinedList {
  /// What makes the same query mean the same in all of the indexes.
  struct Common: Hashable {
    /// The digest of the fields of the indexes.
    let fields: ContentDigest
    /// The digest of the model of the stores.
    let model: String
  }

  let common: Common
  /// The UUID of the joined database.
  let uuid: String
  /// In the order of the parts of the group. Their documents follow each other without gaps.
  let members: [JoinedMember]

  private static let name = "stores"
  private static let version = "followspot joined 2"

  init(_ common: Common, uuid: String, members: [JoinedMember]) {
    (self.common, self.uuid, self.members) = (common, uuid, members)
  }

  /// nil if the list is missing, damaged or of another version.
  ///
  /// - Parameter path: The joined database.
  init?(in path: String) {
    guard let data = try? Data(contentsOf: URL(filePath: path + "/" + Self.name)), data.last == 0x0a else { return nil }
    let bytes = [UInt8](data)
    let lines = bytes.split(separator: 0x0a)
    guard lines.count > 3, let last = lines.last, lines[0].elementsEqual(Self.version.utf8),
      Self.digest(bytes[..<last.startIndex]).utf8.elementsEqual(last)
    else { return nil }
    let words = String(decoding: lines[1], as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count == 3, let fields = ContentDigest(hexadecimal: words[0]) else { return nil }
    var members: [JoinedMember] = []
    for line in lines[2..<(lines.count - 1)] {
      guard let member = JoinedMember(line), member.part > members.last?.part ?? -1,
        member.documents.lowerBound == (members.last?.documents.upperBound ?? 0) &+ 1
      else { return nil }
      members.append(member)
    }
    self.init(Common(fields: fields, model: words[1]), uuid: words[2], members: members)
  }

  func write(in path: String) throws {
    let lines = [Self.version, "\(common.fields.hexadecimal) \(common.model) \(uuid)"] + members.map(\.text)
    let text = lines.joined(separator: "\n") + "\n"
    try Data((text + Self.digest(Array(text.utf8)[...]) + "\n").utf8).write(to: URL(filePath: path + "/" + Self.name))
  }

  private static func digest(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.withUnsafeBytes { ContentDigest(of: $0) }.hexadecimal
  }
}
