// SPDX-License-Identifier: MIT

/// Synonyms in JSON: words with their synonyms, the name of a built-in list, or an array of both.
struct NamedSynonyms: Codable {
  /// Each line is a group of words that are synonyms of each other.
  static let english: [String: [String]] = {
    let lines = String(decoding: PackageResources.synonyms_en_txt, as: UTF8.self).split(separator: "\n")
    var synonyms: [String: [String]] = [:]
    for line in lines {
      let group = line.split(separator: ",").map { String($0.drop { $0 == " " }) }
      for word in group { synonyms[word] = group.filter { $0 != word } }
    }
    return synonyms
  }()
  private static let known = ["english": english]

  let synonyms: [String: [String]]

  init(_ synonyms: [String: [String]]) { self.synonyms = synonyms }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let synonyms = try container.decodeList(named: Self.known, "synonyms") {
      self.synonyms = synonyms
    } else if var list = try? decoder.unkeyedContainer() {
      var synonyms: [String: [String]] = [:]
      while !list.isAtEnd { synonyms.merge(try list.decode(Self.self).synonyms) { $0 + $1 } }
      self.synonyms = synonyms
    } else {
      synonyms = try container.decode([String: [String]].self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(synonyms, named: Self.known)
  }
}
