// SPDX-License-Identifier: MIT

/// Further forms of compound words, under which they are found besides the words that the tokeniser makes of them.
///
/// Of `WALL-E` that is `WALLE`, of `O'Brien` `OBrien` and `Brien`, of `rock'n'roll` also `rock'n` and `n'roll`, of
/// `ToyStory` `Toy` and `Story`, of `Apollo13` `Apollo` and `13`, of `NullPointerException` also `NullPointer` and
/// `PointerException`, of `Disney+` `Disney`. Of `v18.2.0` it is `18.2.0`, `18.2` and `18`, of `11.11.2010` `11.11` and
/// `2010`. Nobody types the parts of an address as one word, so in `jan@lists.example.org` and `https://example.org`
/// nothing is joined. The text must be folded, as the texts of documents are.
package struct WordForms {
  /// The whole compound without what joins its parts, where something does.
  package private(set) var whole: [UInt8]?
  /// Each part of a compound without what joins its own parts, the whole included. `known` counts the bytes with which
  /// another word of the text certainly begins.
  private(set) var joined: [(word: [UInt8], known: Int)] = []
  /// Words with capitals or digits inside, as the words in them.
  package private(set) var subwords: [[[UInt8]]] = []
  /// Parts that the tokeniser leaves together: of `O'Brien`, `v18.2.0` and `NullPointerException`.
  private(set) var parts: [[UInt8]] = []

  /// Maximum number of words that are joined. Nobody types a longer compound in one word: it is a phrase.
  private static let mostWords = 3
  /// Maximum number of parts of a number, of letters that are joined, and of words in a word with capitals or digits.
  private static let mostParts = 6

  init() {}

  /// The forms of one word as typed.
  package init(of folded: String) {
    var text = folded
    text.withUTF8 { text in Self.eachCompound(of: UnsafeRawBufferPointer(text)) { add($0, joins: !$1) } }
  }

  /// Calls `body` with the forms of every compound of a text.
  static func each(of text: UnsafeRawBufferPointer, _ body: (WordForms) -> Void) {
    eachCompound(of: text) { compound, isAddress in
      var forms = WordForms()
      forms.add(compound, joins: !isAddress)
      body(forms)
    }
  }

  /// The words of a document that it adds besides the joined ones.
  var others: [[UInt8]] {
    // Single letters say too little.
    parts + subwords.joined().filter { $0.count > 1 || Self.kinds[Int($0[0])] == .digit }
  }

  // MARK: Bytes

  private enum Kind { case other, joint, lower, upper, digit }

  /// The kind of every byte. Bytes that continue a character are skipped.
  private static let kinds: [Kind] = (0..<256).map { byte in
    switch WordRule.kind(of: UInt8(byte)) {
    case .lower, .unspaced: return .lower
    case .upper: return .upper
    case .digit: return .digit
    case .other, .continuation: break
    }
    return switch UInt8(byte) {
    case UInt8(ascii: "-"), UInt8(ascii: "'"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ","),
      UInt8(ascii: "+"):
      .joint
    default: .other
    }
  }

  /// Joints inside what the tokeniser takes for one word.
  private static func isTight(_ joint: UInt8) -> Bool { joint == UInt8(ascii: "'") || joint == UInt8(ascii: ",") }

  /// Calls `body` with each run of letters, digits and single joints between them in which there is a joint, or a
  /// change from small to capital letters or between letters and digits, or behind which there are signs of the same word;
  /// with true if it is a part of an address: beside an `@`, or after `//`.
  private static func eachCompound(
    of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer.SubSequence, _ isAddress: Bool) -> Void
  ) {
    func visit(_ compound: Range<Int>, _ isCompound: Bool) {
      guard isCompound || sign(behind: text[compound]) != nil else { return }
      let before = text[..<compound.lowerBound].suffix(2)
      let isAddress =
        before.last == UInt8(ascii: "@") || text[compound.upperBound...].first == UInt8(ascii: "@")
        || before.elementsEqual("//".utf8)
      body(text[compound], isAddress)
    }
    kinds.withUnsafeBufferPointer { kinds in
      var start = 0
      var isCompound = false
      var (second, before) = (Kind.other, Kind.other)
      for at in 0..<text.count where text[at] < 0x80 || text[at] >= 0xc0 {
        let kind = kinds[Int(text[at])]
        switch (before, kind) {
        case (.other, .other), (.other, .joint): continue
        case (.other, _):
          start = at
          isCompound = false
        case (.joint, .other), (.joint, .joint), (_, .other):
          visit(start..<(before == .joint ? at - 1 : at), isCompound)
          (second, before) = (.other, .other)
          continue
        case (.upper, .lower): if second == .upper { isCompound = true }
        case (.lower, .lower), (.upper, .upper), (.digit, .digit), (_, .joint): break
        default: isCompound = true
        }
        (second, before) = (before, kind)
      }
      if before != .other { visit(start..<(before == .joint ? text.count - 1 : text.count), isCompound) }
    }
  }

  /// `#` if the tokeniser takes the signs behind a compound into the word, as those of `C++`.
  private static func sign(behind compound: Bytes) -> UInt8? {
    let rest = compound.base[compound.endIndex...]
    let suffix = rest.prefix { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
    let isWord = rest.dropFirst(suffix.count).first.map { ![.other, .joint].contains(kinds[Int($0)]) } ?? false
    return (1...WordRule.mostSuffixes).contains(suffix.count) && !isWord ? UInt8(ascii: "#") : nil
  }

  // MARK: Forms

  private typealias Bytes = UnsafeRawBufferPointer.SubSequence
  /// A piece of a compound, and the joint behind it.
  private typealias Segment = (bytes: Bytes, joint: UInt8?)

  private mutating func add(_ compound: Bytes, joins: Bool) {
    var segments: [Segment] = []
    var start = compound.startIndex
    for at in compound.indices where Self.kinds[Int(compound[at])] == .joint {
      segments.append((compound[start..<at], compound[at]))
      start = at + 1
    }
    segments.append((compound[start...], nil))
    if segments.count > 1, joins { addJoined(segments) }
    if segments.count > 1 { addNumbers(segments, of: compound) }
    if segments.count > 2 { addRuns(segments, of: compound) }
    let sign = Self.sign(behind: compound)
    for (index, segment) in segments.enumerated() {
      addSubwords(segment.bytes)
      let before = index > 0 ? segments[index - 1].joint : nil
      let next = segment.joint == nil ? nil : segments[index + 1].bytes
      addPart(segment.bytes, between: before, segment.joint ?? sign, next: next)
    }
  }

  /// Adds what is side by side in a word with several apostrophes: `rock'n` and `n'roll`.
  private mutating func addRuns(_ segments: [Segment], of compound: Bytes) {
    var first = 0
    for last in segments.indices where segments[last].joint != UInt8(ascii: "'") {
      let run = first...last
      first = last + 1
      guard run.count <= Self.mostParts else { continue }
      for start in run {
        for end in run where end > start && (start...end).count < run.count {
          let bytes = compound[segments[start].bytes.startIndex..<segments[end].bytes.endIndex]
          if bytes.count <= TextFolder.longestWord { parts.append(Array(bytes)) }
        }
      }
    }
  }

  private mutating func addJoined(_ segments: [Segment]) {
    join(segments[...])
    whole = joined.last?.word
    // `O'Brien-Smith` is also found as `OBrien`.
    var start = 0
    for end in segments.indices where !(segments[end].joint.map(Self.isTight) ?? false) {
      if end > start, start > 0 || end < segments.count - 1 { join(segments[start...end]) }
      start = end + 1
    }
  }

  private mutating func join(_ segments: ArraySlice<Segment>) {
    let length = segments.reduce(0) { $0 + $1.bytes.count }
    let isNumber = segments.allSatisfy { $0.bytes.allSatisfy { Self.kinds[Int($0)] == .digit } }
    let isShort = isNumber || segments.allSatisfy { $0.bytes.count == 1 }
    guard segments.count <= (isShort ? Self.mostParts : Self.mostWords), length <= TextFolder.longestWord else {
      return
    }
    // 1,000 is 1000, but 1990-1995 is two years; a comma joins nothing else.
    let commas = segments.dropLast().count { $0.joint == UInt8(ascii: ",") }
    guard commas == (isNumber ? segments.count - 1 : 0) else { return }
    var form: [UInt8] = []
    form.reserveCapacity(length)
    for segment in segments { form.append(contentsOf: segment.bytes) }
    let first = segments[segments.startIndex].bytes
    let isKnown = Self.beginsWord(first) && form.allSatisfy { $0 < 0x80 }
    joined.append((form, isKnown ? first.count : 0))
  }

  /// Whether a word of the text certainly begins with the part. A sign that may stand inside of a word can be before it.
  /// Beyond ASCII there are more such signs, and words of single letters.
  private static func beginsWord(_ part: Bytes) -> Bool {
    guard part.startIndex > part.base.startIndex else { return true }
    let before = part.base[part.startIndex - 1]
    return before < 0x80 && !"'.,".utf8.contains(before)
  }

  private mutating func addPart(_ part: Bytes, between before: UInt8?, _ after: UInt8?, next: Bytes?) {
    func touches(_ sign: Unicode.Scalar) -> Bool { before == UInt8(ascii: sign) || after == UInt8(ascii: sign) }
    // Parts of `C++` and `don't` say too little.
    guard part.count >= 3 else { return }
    if touches("'") ? next?.elementsEqual("t".utf8) != true : touches("#") { parts.append(Array(part)) }
  }

  // MARK: Numbers

  /// Adds parts of numbers with points and commas, which are one word to the tokeniser.
  private mutating func addNumbers(_ segments: [Segment], of compound: Bytes) {
    var first = 0
    for index in segments.indices where !Self.joinsDigits(segments, at: index) {
      if index > first, index - first < Self.mostParts { addNumber(segments[first...index], of: compound) }
      first = index + 1
    }
  }

  /// Whether the joint behind a segment is a point or a comma between digits.
  private static func joinsDigits(_ segments: [Segment], at index: Int) -> Bool {
    guard let joint = segments[index].joint, joint == UInt8(ascii: ".") || joint == UInt8(ascii: ","),
      let before = segments[index].bytes.last, let next = segments[index + 1].bytes.first
    else { return false }
    return kinds[Int(before)] == .digit && kinds[Int(next)] == .digit
  }

  /// Adds what a number begins with, with letters before and behind it and without, and its long parts.
  private mutating func addNumber(_ segments: ArraySlice<Segment>, of compound: Bytes) {
    func digits(_ bytes: Bytes) -> Bytes { bytes.prefix { Self.kinds[Int($0)] == .digit } }
    let (start, end) = (segments.startIndex, segments.endIndex - 1)
    let letters = segments[start].bytes.prefix { Self.kinds[Int($0)] != .digit }
    let isVersion = !letters.isEmpty && segments[start].bytes[letters.endIndex...].allSatisfy(Self.isDigit)
    let full = segments[start].bytes.startIndex..<segments[end].bytes.endIndex
    // Without the letters of `v18`.
    let starts = isVersion ? [full.lowerBound, letters.endIndex] : [full.lowerBound]
    for index in start...end {
      let segment = segments[index]
      // A comma before three digits is a mark of thousands.
      let isThousands =
        segment.joint == UInt8(ascii: ",") && index < end && digits(segments[index + 1].bytes).count == 3
      let stop = index == end ? digits(segment.bytes).endIndex : segment.bytes.endIndex
      guard index == end || !isThousands else { continue }
      for start in starts where stop - start <= TextFolder.longestWord && start..<stop != full {
        parts.append(Array(compound[start..<stop]))
      }
    }
    for segment in segments.dropFirst() where segment.bytes.count > 3 && segment.bytes.allSatisfy(Self.isDigit) {
      parts.append(Array(segment.bytes))
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { kinds[Int(byte)] == .digit }

  // MARK: Subwords

  /// Cuts a word before a capital behind a small letter, before the last of several capitals where two small letters
  /// follow, and between three letters or more and digits.
  private mutating func addSubwords(_ word: Bytes) {
    // Most words have neither.
    guard word.contains(where: { Self.kinds[Int($0)] == .upper || Self.kinds[Int($0)] == .digit }) else { return }
    let kinds = word.map { (0x80..<0xc0).contains($0) ? .lower : Self.kinds[Int($0)] }
    var cuts = [0]
    for at in kinds.indices.dropFirst() {
      let isCut =
        switch (kinds[at - 1], kinds[at]) {
        case (.lower, .upper): true
        case (.upper, .upper): at + 2 < kinds.count && kinds[at + 1] == .lower && kinds[at + 2] == .lower
        case (.lower, .digit), (.upper, .digit): at - (cuts.last ?? 0) >= 3
        case (.digit, .lower), (.digit, .upper): cuts.count > 1 || kinds[at...].prefix(3).count { $0 != .digit } == 3
        default: false
        }
      if isCut { cuts.append(at) }
    }
    guard cuts.count > 1, cuts.count <= Self.mostParts else { return }
    let start = word.startIndex
    let ends = cuts.dropFirst() + [word.count]
    subwords.append(zip(cuts, ends).map { Array(word[start + $0..<start + $1]) })
    // Words that several of them make together. Numbers end them.
    func isWord(_ range: Range<Int>) -> Bool { cuts[range].allSatisfy { kinds[$0] != .digit } }
    for count in 2..<max(2, cuts.count) {
      if isWord(0..<count) { parts.append(Array(word[..<(start + cuts[count])])) }
      let suffix = cuts.count - count..<cuts.count
      if isWord(suffix) { parts.append(Array(word[(start + cuts[suffix.lowerBound])...])) }
    }
  }
}
