// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Fields in several languages: what `schema` says of them, and which forms of a word a query finds.
@Suite(.overlapping, .temporaryDirectory)
struct LanguageSearchTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let language: String
    let texts: [String]
    /// A form that no text has, and the number of the text that has another form.
    let query: (word: String, text: Int)
    /// A later text with a further form of the word.
    let later: String

    var testDescription: String { language }
  }

  private static let samples = [
    Sample(
      language: "russian",
      texts: [
        "Мы говорили об этой встрече весь день.", "Она написала книгу об истории города.",
        "Дом был продан, но не сразу.",
      ],
      query: ("встреча", 0), later: "Все встречи были перенесены на вторник."),
    Sample(
      language: "german",
      texts: [
        "Die alten Häuser stehen an einem Fluss.", "Sie hat über die Stadt geschrieben.",
        "Das ist nicht, was er wollte.",
      ],
      query: ("altes", 0), later: "Ein altem Brauch folgendes Fest wird in der Stadt gefeiert."),
    Sample(
      language: "french",
      texts: [
        "Les portes sont fermées pendant la nuit.", "Elle a écrit sur l'histoire de sa ville.",
        "C'est ce qu'ils ont trouvé dans la maison.",
      ],
      query: ("fermer", 0), later: "Le magasin est fermé et nous sommes partis."),
    Sample(
      language: "finnish",
      texts: [
        "Hän asuu talossa, joka on vanha.", "Se ei ole kirja, mutta se on hyvä.", "Tämä on se, mitä he löysivät.",
      ],
      query: ("talot", 0), later: "Vanhat talojen katot ovat punaisia, ja ne on maalattu."),
    Sample(
      language: "turkish",
      texts: [
        "Bu kitaplar çok eski ve güzel.", "Şehrin tarihi için bir yazı yazdı.",
        "Ev satıldı ama daha sonra geri alındı.",
      ],
      query: ("kitap", 0), later: "Kitapları okumak için her gün bir saat var."),
    Sample(
      language: "arabic",
      texts: ["تحدثنا عن المكتبة في هذا اليوم.", "كتبت عن تاريخ المدينة وعن أهلها.", "هذا ما وجدوه عندما بيع البيت."],
      query: ("مكتبة", 0), later: "كانت مكتبتهم في هذه المدينة منذ زمن."),
    Sample(
      language: "spanish",
      texts: [
        "Las canciones de este disco son muy buenas.", "Ella ha escrito sobre la ciudad.",
        "Esto no es lo que encontraron en la casa.",
      ],
      query: ("canción", 0), later: "Una cancion para los que no están aquí."),
    Sample(
      language: "portuguese",
      texts: [
        "As configurações do sistema não são iguais.", "Ela escreveu sobre a história da cidade.",
        "Isto é o que eles acharam quando foi vendida.",
      ],
      query: ("configuração", 0), later: "A configuracao foi feita por você e por mais pessoas."),
    Sample(
      language: "italian",
      texts: [
        "La nonna canterà nel coro della chiesa.", "Ha scritto un libro sulla storia della sua città.",
        "La casa è stata venduta, ma non subito.",
      ],
      query: ("cantare", 0), later: "Gli amici cantano anche con lei ogni sera."),
    Sample(
      language: "dutch",
      texts: [
        "De families wonen al jaren in dit huis.", "Zij heeft een boek over de stad geschreven.",
        "Dat is niet wat ze bij ons zochten.",
      ],
      query: ("familie", 0), later: "Elke familie die hier woont heeft ook een tuin."),
    Sample(
      language: "swedish",
      texts: [
        "Den gröna båten ligger vid en ö.", "Hon har skrivit om staden och dess historia.",
        "Det var inte vad de ville ha från oss.",
      ],
      query: ("grönt", 0), later: "Om våren är ett träd som är grön och stor vackert att se på."),
    Sample(
      language: "danish",
      texts: [
        "De smukke haver ligger ved en å.", "Hun har skrevet om byen og dens historie.",
        "Det var ikke hvad de ville have af os.",
      ],
      query: ("smukt", 0), later: "Hver have er smuk om foråret, og den er også stor."),
    Sample(
      language: "hungarian",
      texts: [
        "A könyvet olvasva nem vették észre, hogy már este van.", "Az utca végén áll egy régi ház, amely eladó.",
        "Ez az, ami nekik nem kell, csak nekünk.",
      ],
      query: ("olvasni", 0), later: "A leveleket olvasott emberek közül már csak egy van itt."),
  ]

  private static func lines(_ texts: [String], from number: Int = 0) throws -> String {
    try texts.enumerated().map { index, text in
      let record = ["title": "\(number + index)", "text": text]
      return String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self) + "\n"
    }.joined()
  }

  /// The languages of the field `text`, as `schema` prints them.
  private func languages(_ bench: ShellFixture) throws -> JSONValue? {
    let printed = try bench.shell.run("schema")
    let fields = try JSONValue(printed.output)["definition"]?["entities"]?["Film"]?["fields"]
    guard case .array(let fields)? = fields else { return nil }
    return fields.first { $0["name"] == .string("text") }?["language"]
  }

  @Test(arguments: samples)
  func `a word finds its other forms, also in rows that are not indexed yet`(_ sample: Sample) throws {
    let bench = try ShellFixture(try Self.lines(sample.texts))
    #expect(try languages(bench) == .string(sample.language))
    #expect(try bench.titles(sample.query.word) == ["\(sample.query.text)"])
    #expect(try bench.titles("text:" + sample.query.word) == ["\(sample.query.text)"])
    #expect(try bench.shell.run("count", sample.query.word).output == "1\n")
    #expect(try bench.shell.run("explain", "Film/p\(sample.query.text + 1)", sample.query.word).code == 0)
    let shown = try bench.shell.run("search", sample.query.word, "--snippets", "--format", "json").output
    #expect(shown.contains("\"highlights\":[["), "\(shown)")
    try bench.importRecords(try Self.lines([sample.later], from: 3))
    let wanted = ["3", "\(sample.query.text)"].sorted()
    #expect(try bench.titles(sample.query.word).sorted() == wanted, "not indexed yet")
    try #require(bench.shell.run("index").code == 0)
    #expect(try bench.titles(sample.query.word).sorted() == wanted)
    try bench.expectEqual(documents: 4)
  }

  @Test func `the accents of an ending do not decide between forms of a word`() throws {
    let texts = [
      "Elle range les photos dans les dossiers du serveur.", "Une chambre rangée et puis une autre.",
      "Le livre est sur la table avec le stylo.",
    ]
    let bench = try ShellFixture(try Self.lines(texts))
    #expect(try bench.titles("photo rangée dossier livre").first == "0")
  }

  private static let mixed =
    samples[1].texts + [
      "The old houses stand where the river was.", "She has written about the town.", "This is not what they found.",
    ]
    + samples[0].texts

  @Test func `each value of a mixed field is stemmed in its language`() throws {
    let bench = try ShellFixture(try Self.lines(Self.mixed))
    #expect(try languages(bench) == .array(["english", "german", "russian"].map(JSONValue.string)))
    #expect(try bench.titles("altes") == ["0"])
    #expect(try bench.titles("house river") == ["3"])
    #expect(try bench.titles("встреча") == ["6"])
    #expect(try bench.titles("text:altes OR text:встреча").sorted() == ["0", "6"])
    // The article is a stop word of German.
    #expect(try bench.titles("die stadt") == ["1"])
    try bench.importRecords(try Self.lines(["Weil er ein altem Freund war, hat er es nicht gesagt."], from: 9))
    #expect(try bench.titles("altes").sorted() == ["0", "9"])
    try #require(bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 10)
  }

  @Test func `a definition takes other languages, and rejects those without a stemmer`() throws {
    let bench = try ShellFixture(try Self.lines(Self.mixed))
    func index(_ language: String) throws -> Shell.Outcome {
      let definition = try bench.directory.write(
        """
        {"entities": {"Film": {"title": "title", "fields": [
          {"name": "title", "roles": ["text"]}, {"name": "text", "roles": ["text"], "language": \(language)}]}}}
        """, to: "definition.json")
      return try bench.shell.run("index", "--definition", definition)
    }
    #expect(try index(#""german""#).code == 0)
    #expect(try languages(bench) == .string("german"))
    #expect(try bench.titles("altes") == ["0"])
    #expect(try index(#"["english", "russian"]"#).code == 0)
    #expect(try languages(bench) == .array([.string("english"), .string("russian")]))
    #expect(try bench.titles("встреча") == ["6"])
    try bench.expectEqual(documents: 9)
    for wrong in [#"["english", "klingon"]"#, "[]", #"["german", "german"]"#] {
      let refused = try index(wrong)
      #expect(refused.code == 2 && refused.errors.contains("language"), "\(wrong): \(refused)")
    }
  }

  @Test func `a word of another language is not corrected to a similar one`() throws {
    let texts = [
      "Mit diesen Treibern für das WLAN ist die Karte nicht mehr langsam.",
      "Der Trainer hat kein WLAN, und das ist gut so.",
      "Das Handbuch ist bei dem Gerät und nicht im Schrank.",
    ]
    let bench = try ShellFixture(try Self.lines(texts))
    let found = try bench.shell.run("search", "wlan treiber", "--format", "tsv", "--fields", "title")
    #expect(found.lines.first == "0" && !found.errors.contains("corrected"), "\(found)")
  }

  @Test func `texts in English have no language of their own`() throws {
    let bench = try ShellFixture()
    let printed = try bench.shell.run("schema").output
    #expect(!printed.contains("\"language\" : [") && !printed.contains("german"), "\(printed)")
    #expect(try languages(bench) == nil)
  }
}
