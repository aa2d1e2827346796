# SPDX-License-Identifier: MIT
"""Answers the queries of a catalogue with tantivy, as RetrievalBenchmark asks its partners to.

python3 tantivy_partner.py RECORDS.jsonl QUERIES.tsv IDENTIFIER: prints the identifiers of up to ten hits of each query,
with bars between them, one line a query. Each text is a field, stemmed as English, and BM25 adds up the fields; the title
counts five times. `pip install tantivy`.
"""

import json
import re
import sys

import tantivy

records_file, queries_file, identifier = sys.argv[1:4]
with open(records_file) as file:
    records = [json.loads(line) for line in file]


def text(value):
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


names = sorted({name for record in records for name in record if name != identifier})
builder = tantivy.SchemaBuilder()
builder.add_text_field("identifier", stored=True, tokenizer_name="raw")
for name in names:
    builder.add_text_field(name, tokenizer_name="en_stem")
index = tantivy.Index(builder.build())
writer = index.writer()
for record in records:
    document = tantivy.Document()
    document.add_text("identifier", str(record.get(identifier)))
    for name in names:
        if record.get(name) is not None:
            document.add_text(name, text(record[name]))
    writer.add_document(document)
writer.commit()
index.reload()
searcher = index.searcher()
with open(queries_file) as file:
    for line in file:
        words = " ".join(re.findall(r"\w+", line.split("\t")[1]))
        query = index.parse_query(words, names, field_boosts={"title": 5.0})
        hits = searcher.search(query, 10).hits
        print("|".join(searcher.doc(address)["identifier"][0] for _, address in hits))
