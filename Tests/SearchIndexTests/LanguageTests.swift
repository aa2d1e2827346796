// SPDX-License-Identifier: MIT

import Testing

@testable import SearchIndex

/// The languages of texts, told by their function words and letters.
struct LanguageTests {
  private static let sentences = [
    "english": [
      "The meeting was moved to the first week of the month.", "She has written about the history of her town.",
      "This is what they found when the house was sold.",
    ],
    "german": [
      "Die Besprechung wurde auf die erste Woche des Monats verschoben.",
      "Sie hat über die Geschichte der Stadt geschrieben.",
      "Das ist es, was man fand, als das Haus verkauft wurde.",
    ],
    "french": [
      "La réunion a été déplacée à la première semaine du mois.", "Elle a écrit sur l'histoire de sa ville.",
      "C'est ce qu'ils ont trouvé quand la maison était vendue.",
    ],
    "spanish": [
      "La reunión se ha movido a la primera semana del mes.", "Ella ha escrito sobre la historia de su ciudad.",
      "Esto es lo que encontraron cuando se vendió la casa.",
    ],
    "portuguese": [
      "A reunião foi adiada para a primeira semana do mês.", "Ela escreveu sobre a história da sua cidade.",
      "Isto é o que eles acharam quando a casa foi vendida.",
    ],
    "italian": [
      "La riunione è stata spostata alla prima settimana del mese.", "Lei ha scritto della storia della sua città.",
      "Questo è quello che hanno trovato quando la casa è stata venduta.",
    ],
    "dutch": [
      "De vergadering is verplaatst naar de eerste week van de maand.",
      "Zij heeft over de geschiedenis van haar stad geschreven.",
      "Dit is wat zij vonden toen het huis werd verkocht.",
    ],
    "swedish": [
      "Mötet har flyttats till den första veckan i månaden.", "Hon har skrivit om stadens historia och om sin familj.",
      "Det här är vad de hittade när huset var sålt.",
    ],
    "danish": [
      "Mødet er blevet flyttet til den første uge af måneden.", "Hun har skrevet om byens historie og om sig selv.",
      "Det er hvad de fandt efter at huset var solgt.",
    ],
    "norwegian": [
      "Møtet er flyttet til den første uken av måneden.", "Hun har skrevet om byens historie og om seg selv.",
      "Det er hva de fant etter at huset var solgt av noen.",
    ],
    "finnish": [
      "Kokous on siirretty, ja se on nyt ensi viikolla.",
      "Hän on kirjoittanut kaupungin historiasta ja myös itsestään.",
      "Tämä on se, mitä he löysivät, kun talo oli myyty.",
    ],
    "turkish": [
      "Toplantı ayın ilk haftasına alındı ve herkese bildirildi.",
      "Şehrin tarihi için bir kitap yazdı ama çok uzun oldu.",
      "Bu ev satıldığında ne bulundu, daha sonra öğrendiler.",
    ],
    "hungarian": [
      "Az ülést a hónap első hetére tették át.", "A város történetéről és a családjáról is írt egy könyvet.",
      "Ez az, amit találtak, amikor a házat már eladták.",
    ],
    "russian": [
      "Встреча перенесена на первую неделю месяца.", "Она написала об истории своего города.",
      "Это то, что они нашли, когда дом был продан.",
    ],
    "arabic": [
      "تم نقل الاجتماع إلى الأسبوع الأول من الشهر.", "كتبت عن تاريخ مدينتها وعن عائلتها.",
      "هذا ما وجدوه عندما بيع البيت.",
    ],
    "romanian": [
      "Ședința a fost mutată în prima săptămână a lunii.", "Ea a scris despre istoria orașului său.",
      "Acesta este ceea ce au găsit când casa a fost vândută.",
    ],
    "catalan": [
      "La reunió s'ha mogut a la primera setmana del mes.",
      "Ella ha escrit sobre la història de la seva ciutat amb ajuda.",
      "Això és el que van trobar quan la casa va ser venuda amb els mobles.",
    ],
  ]

  private func languages(of values: [String]) -> [String] {
    var profile = LanguageProfile()
    for value in values { Array(value.utf8).withUnsafeBytes { profile.add($0) } }
    return profile.languages
  }

  private func language(of value: String, among languages: [String]) throws -> String {
    let chooser = try #require(LanguageChooser(languages))
    return Array(value.utf8).withUnsafeBytes { chooser.language(of: $0) }
  }

  @Test(arguments: sentences.keys.sorted())
  func `three sentences tell their language`(language: String) throws {
    #expect(languages(of: try #require(Self.sentences[language])) == [language])
  }

  @Test func `values of two languages tell both, the more frequent one first`() throws {
    let german = try #require(Self.sentences["german"])
    let english = try #require(Self.sentences["english"])
    #expect(languages(of: german + german + english) == ["german", "english"])
    #expect(languages(of: german + english + english) == ["english", "german"])
    // Two of them may be quotations.
    #expect(languages(of: english + english + german.prefix(2)) == ["english"])
  }

  @Test func `each value of a mixed field has the language that it tells, or else the main one`() throws {
    for (language, values) in Self.sentences where language != "english" {
      for value in values {
        #expect(try self.language(of: value, among: ["english", language]) == language, "\(value)")
      }
      for value in Self.sentences["english"] ?? [] {
        #expect(try self.language(of: value, among: [language, "english"]) == "english", "\(value), \(language)")
      }
    }
    #expect(try language(of: "Handbuch", among: ["english", "german"]) == "english")
    #expect(try language(of: "Handbuch", among: ["german", "english"]) == "german")
    #expect(try language(of: "", among: ["russian", "english"]) == "russian")
    #expect(LanguageChooser(["german"]) == nil)
  }

  @Test func `short texts tell their language together`() {
    let titles = [
      "Der Herr der Ringe", "Berlin", "Das Boot", "Die Welle", "Krieg und Frieden", "Im Westen nichts Neues", "Momo",
      "Das Parfum", "Die Verwandlung", "Der Prozess", "Faust", "Der Vorleser", "Das Schloss", "Die Blechtrommel",
    ]
    #expect(languages(of: titles) == ["german"])
  }

  @Test(arguments: [
    ["München", "Köln", "Zürich", "Málaga", "Orléans", "İstanbul"],
    ["libssl-dev", "python3", "x11-utils", "g++", "a2ps", "de"],
    ["Luca de la Cruz", "Anna Maria Rossi", "Jan van der Meer", "José Ortega", "Peter Smith"],
    ["j. ae. scs. 25, 1958, 324.", "naca rep. n 1135, d 4.", "c. s. l. j. mech. 3, 1956.", "j. l. d. s. n. c. phys."],
    ["встреча"], [""], [],
    [
      "Spotkanie zostało przeniesione na pierwszy tydzień miesiąca.", "Napisała o historii swojego miasta i nie tylko.",
    ],
    ["会議は来週に延期されました。", "これは本です。", "東京は大きいです。"],
    ["C 言語 d の s ライブラリ c です。", "n 個の l を y に c する d 関数です。", "d と c と s と l と n です。"],
  ])
  func `texts without enough evidence tell no language`(values: [String]) {
    #expect(languages(of: values) == [])
  }

  @Test func `decomposed letters are those of composed ones`() {
    let values = (Self.sentences["swedish"] ?? []).map { text in
      text.unicodeScalars.reduce(into: "") { decomposed, scalar in
        switch scalar {
        case "ö": decomposed += "o\u{308}"
        case "å": decomposed += "a\u{30a}"
        case "ä": decomposed += "a\u{308}"
        default: decomposed.unicodeScalars.append(scalar)
        }
      }
    }
    #expect(languages(of: values) == ["swedish"])
  }
}
