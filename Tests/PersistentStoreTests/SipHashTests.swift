// SPDX-License-Identifier: MIT

import CSupport
import TestSupport
import Testing

@Suite(.overlapping, .temporaryDirectory)
struct SipHashTests {
  /// The published vectors of SipHash-2-4-128: key 00..0f, input 00, 0001 and so on; the longer ones from OpenSSL.
  private static let vectors: [(Int, String)] = [
    (0, "a3817f04ba25a8e66df67214c7550293"),
    (1, "da87c1d86b99af44347659119b22fc45"),
    (2, "8177228da4a45dc7fca38bdef60affe4"),
    (3, "9c70b60c5267a94e5f33b6b02985ed51"),
    (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
    (8, "3b62a9ba6258f5610f83e264f31497b4"),
    (9, "264499060ad9baabc47f8b02bb6d71ed"),
    (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
    (16, "6ee2a4ca67b054bbfd3315bf85230577"),
    (17, "473d06e8738db89854c066c47ae47740"),
    (63, "5150d1772f50834a503e069a973fbd7c"),
    (64, "1eaf077dc0d4cd3f8cad4d383658a74b"),
    (255, "1c9bb67528165f8e468248e3799b0eab"),
    (256, "67a00304d3834c4612eaee7b5f579acb"),
    (1000, "24dafa789ae03d86536a4b57372f0ba6"),
  ]

  @Test(arguments: vectors)
  func `the digest equals the published vector`(_ length: Int, _ expected: String) {
    let input = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    var digest = [UInt8](repeating: 0, count: 16)
    cs_siphash128(input, length, Array(0..<16), &digest)
    #expect(digest.map { StoreFixture.hexadecimal($0) }.joined() == expected)
  }

  @Test func `the hexadecimal digest is the digest under the project's key`() {
    let input = Array("followspot".utf8)
    var digest = [UInt8](repeating: 0, count: 16)
    cs_siphash128(input, input.count, Array("followspot digst".utf8), &digest)
    var plain = [UInt8](repeating: 0, count: 16)
    cs_digest(input, input.count, &plain)
    var digits = [CChar](repeating: 1, count: 33)
    cs_digest_hexadecimal(input, input.count, &digits)
    #expect(plain == digest)
    #expect(digits.map { UInt8($0) } == Array(digest.map { StoreFixture.hexadecimal($0) }.joined().utf8) + [0])
  }
}
