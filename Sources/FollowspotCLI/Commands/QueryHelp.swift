// SPDX-License-Identifier: MIT

/// `followspot help query`: the query language on one page.
enum QueryHelp {
  static var text: String {
    """
    A query consists of words and conditions. Records with all words come first. If there are few of them, records with
    any of the words follow.

    \(Help.table(language))
    Case and diacritics are ignored. Words are stemmed, except in phrases and NEAR. A word that the index does not contain
    is corrected to the closest one, and a note says so. If a query finds nothing, a hint shows a similar query that finds
    something. In a shell, quote arguments that contain > < ( ) * or ".
    `followspot schema` lists the fields. --literal treats the query as plain words.

    """
  }

  private static let language = [
    ("toy friendship", "words"),
    (#""toy story", "toy sto*""#, "a phrase, whose last word may be a prefix"),
    ("robot NEAR/5 love", "both words in any order, at most five positions apart"),
    ("toy*, lib*ssl, *cip*", "words with this prefix or pattern; at least three letters or digits in a row"),
    ("toy AND story, toy OR story", "both words, either word"),
    ("apache|nginx, apache || nginx", "the same as apache OR nginx"),
    ("NOT toy, -toy, !toy", "without the word"),
    ("(toy OR story) pixar", "parts in parentheses"),
    ("*", "everything"),
    (#"title:toy, title:"toy story""#, "words or phrases in a field"),
    ("title:(toy OR story)", "several words in one field"),
    (#""First Name":anna, "2020":>5"#, "a field whose name has blanks or signs, or begins with a digit"),
    ("people.name:hanks", "texts under a key of a JSON value"),
    ("dims.w:>5, is:dims.new", "numbers, dates and truth values under a key of a JSON value"),
    ("studio.name:pixar", "words of related records, if the definition contains the path"),
    ("1995", "texts with the number, then dates and years"),
    ("year:1995, year:1995..2010, rating:>=8", "numbers, with k, M or G for large ones"),
    ("year = 1990, year>=1990, year != 1990", "the same as comparisons; not in set and delete"),
    ("runtime:>2h, size:<10MB", "quantities, if the definition gives the field a unit"),
    ("released:1995-11, released:1990s", "dates: a decade, a year, a month, a day, a moment"),
    (#"released:17.05.2023, date:"last week""#, "other forms of dates"),
    ("released:last-year, released:30d..", "relative dates in your time zone: yesterday, this-week, 12h, 3w, 6mo, 1y"),
    ("is:favorite, has:plot, plot:*", "flags that are true, fields that have a value"),
    ("is:read, read:true, read:false", "flags that are numbers, if all of them are 0 or 1"),
    ("from:anna", "the field of senders or authors, if no field is named from"),
    ("https://debian.org, std::string, a:b", "words, if no field has the name before the colon"),
    ("kind:Movie", "records of an entity"),
    ("changed:2d.., author:importer, tx:>42", "time, author and transaction of any save of a record in the history"),
    ("deleted:7d.., deleted:*", "deleted records, by the values that the history preserves"),
  ]
}
