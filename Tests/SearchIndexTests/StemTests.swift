import SearchIndex
import TestSupport
import Testing

/// Stems of folded words, by language.
struct StemTests {
  /// Forms of one word of each language.
  private static let forms = [
    "english": ["meeting", "meetings"],
    "french": ["fermé", "fermée", "fermées", "fermer"],
    "german": ["bereitstellen", "bereitstellt", "bereitstellte"],
    "hungarian": ["házban", "házból", "házról"],
    "portuguese": ["configuração", "configurações", "configurar"],
    "russian": ["новый", "новая", "новой", "новых"],
    "turkish": ["kitapları", "kitaplar", "kitap"],
  ]

  @Test(arguments: forms.keys.sorted())
  func `forms of a word have one stem, with their accents and without`(language: String) throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("index")
      let writer = try IndexWriter(path: path, stemmer: "english")
      try writer.begin()
      try writer.commit(metadata: [:])
      let reader = try IndexReader(path: path, stemmer: "english")
      var folder = TextFolder()
      let stems = try (Self.forms[language] ?? []).map { form in
        let token = try #require(try reader.tokens(of: folder.fold(form), language: language).first)
        return String(decoding: token.stemmed ?? token.raw, as: UTF8.self)
      }
      #expect(Set(stems).count == 1, "\(stems)")
    }
  }

  @Test func `Latin words of a Russian text are stemmed as English ones`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("index")
      let writer = try IndexWriter(path: path, stemmer: "russian")
      try writer.begin()
      try writer.commit(metadata: [:])
      let tokens = try IndexReader(path: path, stemmer: "russian").tokens(of: "драйверы printers")
      #expect(tokens.map { $0.stemmed.map { String(decoding: $0, as: UTF8.self) } } == ["драйвер", "printer"])
    }
  }
}
