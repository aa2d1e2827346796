/// `followspot help query`: the query language on one page.
enum QueryHelp {
  static var text: String {
    """
    A query is words and conditions. Records with all the words come first; where few have them, records with any follow.

    \(CommandDescription.table(language))
    Case and diacritics do not count. Words are stemmed, those of phrases and NEAR are not. A word that is nowhere in the
    index is taken for the closest one that is, which is said. Where a query finds nothing, a hint names the nearest one
    that finds something. In a shell, put quotes around what holds > < ( ) * or ".
    followspot schema lists the fields; --literal takes any text as words.

    """
  }

  private static let language = [
    ("toy friendship", "words"),
    (#""toy story""#, "a phrase"),
    ("robot NEAR/5 love", "both words, in any order, five places apart at most"),
    ("toy*, lib*ssl", "words that begin so, or are like this; three letters or more before the first *"),
    ("toy AND story, toy OR story", "both, either"),
    ("NOT toy, -toy", "without the word"),
    ("(toy OR story) pixar", "parts in parentheses"),
    ("*", "everything"),
    (#"title:toy, title:"toy story""#, "words and phrases of a field"),
    ("title:(toy OR story)", "several of a field"),
    (#""First Name":anna"#, "words of a field whose name has blanks"),
    ("people.name:hanks", "the texts under a key of a JSON value"),
    ("studio.name:pixar", "words of related records, where the definition names the path"),
    ("year:1995, year:1995..2010, rating:>=8", "numbers, with k, M or G for large ones"),
    ("year = 1990, year>=1990, year != 1990", "the same with a comparison; not in set and delete"),
    ("runtime:>2h, size:<10MB", "quantities, where the definition says what a field counts"),
    ("released:1995-11, released:2001..", "dates: a year, a month, a day, a moment"),
    ("released:last-year, released:30d..", "dates by the present: yesterday, this-week, 12h, 3w, 6mo, 1y"),
    ("is:favorite, has:plot", "what is true, what has a value"),
    ("kind:Movie", "records of an entity"),
    ("changed:2d.., author:importer, tx:>42", "when, by whom and in which transaction a record was saved"),
  ]
}
