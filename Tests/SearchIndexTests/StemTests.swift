// SPDX-License-Identifier: MIT

import SearchIndex
import TestSupport
import Testing

/// Stems of folded words, by language.
@Suite(.temporaryDirectory)
struct StemTests {
  private let directory = TemporaryDirectory()

  /// Forms of words of each language, with blanks between them.
  private static let forms = [
    "danish": ["maler malede malet males", "smuk smukt smukke"],
    "dutch": ["wandelen wandelt wandelde", "grijs grijze grijzer", "kip kippen", "familie families"],
    "english": ["meeting meetings"],
    "french": [
      "fermé fermée fermées fermer", "chanter chantent chanté chantées", "inconnu inconnus inconnue",
      "attendre attend attendent",
    ],
    "german": ["bereitstellen bereitstellt bereitstellte", "wandern wandert wanderte"],
    "hungarian": ["házban házból házról", "olvasni olvasva olvasott", "virág virágok virágot"],
    "italian": ["cantare canterà cantano cantante", "dormire dormirà"],
    "norwegian": ["vaske vasker vasket vasking"],
    "portuguese": [
      "configuração configurações configurar", "animal animais", "jardim jardins", "coração corações",
      "cantar cantador cantadores",
    ],
    "russian": ["новый новая новой новых"],
    "spanish": ["explicar explica explique", "salir salió", "conoce conozco"],
    "swedish": ["hus huset husen husets", "grön gröna grönt", "målar målade målat målats"],
    "turkish": ["kitapları kitaplar kitap"],
  ]

  /// Different words of each language.
  private static let words = [
    "danish": "hus hund hest fest", "dutch": "stad huis hond fiets kast kat", "french": "moment mot client document",
    "german": "markt mark wort", "italian": "mare mano sera accento", "portuguese": "animal coração cor jardim",
    "spanish": "paz pan luna lugar", "swedish": "hus hund land lån natt nation",
  ]

  @Test(arguments: forms.keys.sorted())
  func `forms of a word have one stem, with their accents and without`(language: String) throws {
    for word in Self.forms[language] ?? [] {
      let stems = try stems(word, language)
      #expect(Set(stems).count == 1, "\(word): \(stems)")
    }
  }

  @Test(arguments: words.keys.sorted())
  func `different words have different stems`(language: String) throws {
    let stems = try stems(Self.words[language] ?? "", language)
    #expect(Set(stems).count == stems.count, "\(stems)")
  }

  /// The stems of the words of a text.
  private func stems(_ words: String, _ language: String) throws -> [String] {
    try TemporaryDirectory.with { directory in
      let path = directory.file("index")
      let writer = try IndexWriter(path: path, stemmer: "english")
      try writer.begin()
      try writer.commit(metadata: [:])
      let reader = try IndexReader(path: path, stemmer: "english")
      var folder = TextFolder()
      return try reader.tokens(of: folder.fold(words), language: language)
        .map { String(decoding: $0.stemmed ?? $0.raw, as: UTF8.self) }
    }
  }

  @Test func `Latin words of a Russian text are stemmed as English ones`() throws {
    let path = directory.file("index")
    let writer = try IndexWriter(path: path, stemmer: "russian")
    try writer.begin()
    try writer.commit(metadata: [:])
    let tokens = try IndexReader(path: path, stemmer: "russian").tokens(of: "драйверы printers")
    #expect(tokens.map { $0.stemmed.map { String(decoding: $0, as: UTF8.self) } } == ["драйвер", "printer"])
  }
}
