// SPDX-License-Identifier: MIT

internal import Base

extension IndexReader {
  /// The checksum of the documents, from their identities and digests. It does not depend on their order.
  func checksum() throws(IndexError) -> UInt128 {
    let sum = Sum()
    try eachMatch(.everything, slots: [DocumentLayout.Slot.identity, DocumentLayout.Slot.digest]) {
      sum.add(identity: Array($0[0]), digest: Array($0[1]))
      return true
    }
    return sum.value
  }

  private final class Sum {
    private(set) var value: UInt128 = 0

    /// A damaged digest counts as zero.
    func add(identity: [UInt8], digest: [UInt8]) {
      guard DocumentLayout.parseIdentity(identity) != nil else { return }
      value &+= DocumentLayout.checksumPart(
        identity: identity, digest: ContentDigest(bytes: digest) ?? ContentDigest(value: 0))
    }
  }
}
