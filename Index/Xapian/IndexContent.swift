// SPDX-License-Identifier: MIT

/// What readers and writers can both read of an index.
package protocol IndexContent: AnyObject {
  /// The metadata of a key, with pending changes; nil if there is none.
  func metadata(_ key: String) throws(IndexError) -> String?
  func metadataKeys(prefix: String) throws(IndexError) -> [String]
  func documentCount() throws(IndexError) -> Int
  /// The value in `slot` of the document with that term; nil if there is no such document.
  func value(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> [UInt8]?
  /// Visits the value in `slot` of every document with that term, until `visit` returns false.
  func eachValue(slot: UInt32, of term: [UInt8], _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError)
  /// Visits every value in a slot, in no order, until `visit` returns false.
  func eachValue(slot: UInt32, _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError)
}
