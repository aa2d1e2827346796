// SPDX-License-Identifier: MIT

package import SearchIndex

extension Document {
  /// Adds words as the only field of a document, with typical length.
  ///
  /// - Parameter weight: nil adds the words under the prefix only.
  package mutating func addText(
    _ text: some Collection<UInt8>, prefix: String, weight: Int? = 1, folder: inout TextFolder
  ) {
    Array(text).withUnsafeBytes {
      addText($0, prefix: Array(prefix.utf8), field: 0, isCounted: weight != nil, isItem: false, folder: &folder)
    }
    weigh([FieldLength(weight: weight ?? 1, typical: 10)])
  }
}
