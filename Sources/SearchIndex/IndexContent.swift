/// What a reader and a writer can both tell of the documents in an index.
package protocol IndexContent: AnyObject {
  /// The metadata of that key, pending ones included; nil where there are none.
  func metadata(_ key: String) throws(IndexError) -> String?
  func metadataKeys(prefix: String) throws(IndexError) -> [String]
  func documentCount() throws(IndexError) -> Int
  /// The value in `slot` of the document that a term leads to; nil where there is no such document.
  func value(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> [UInt8]?
  /// The value in `slot` of every document that a term leads to, until `visit` returns false.
  func eachValue(slot: UInt32, of term: [UInt8], _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError)
  /// Every value of a slot, in no order, until `visit` returns false.
  func eachValue(slot: UInt32, _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError)
}
