#!/usr/bin/env bash
# Xapian 1.4.22 (Debian 1.4.22-1): with FLAG_CJK_NGRAM, the term generator joins a word with the next Latin word although
# Chinese, Japanese or Korean letters stand between them.
#
# Expected: the text "BTS’의 Dynamite" has the term "dynamite", as it has without the flag. Seen: if the first word ends
# with an apostrophe or & before such letters, it swallows them: the terms are "bts'dynamite" and "의", and a search for
# the second word finds nothing. Without that sign the words stay apart.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"

apt-get -o APT::Sandbox::User=root download python3-xapian=1.4.22-1 libxapian30=1.4.22-1 > /dev/null
for package in ./*.deb; do dpkg -x "$package" installed; done
export PYTHONPATH="$place/installed/usr/lib/python3/dist-packages"
LD_LIBRARY_PATH="$(dirname "$(find "$place/installed" -name 'libxapian.so.30')")"
export LD_LIBRARY_PATH

cat > program.py << 'END'
import xapian

print("Xapian", xapian.version_string())
for text in ["BTS’의 Dynamite", "x&日本 lemon", "BTS의 Dynamite", "AT&T 日本 tea"]:
    for name, flags in [("plain", 0), ("n-grams", xapian.TermGenerator.FLAG_CJK_NGRAM)]:
        generator = xapian.TermGenerator()
        generator.set_flags(flags)
        generator.set_document(xapian.Document())
        generator.index_text(text)
        print(text, name, *[term.term.decode() for term in generator.get_document()], sep=" | ")
END
python3.11 program.py > seen

diff - seen << 'END'
Xapian 1.4.22
BTS’의 Dynamite | plain | bts'의 | dynamite
BTS’의 Dynamite | n-grams | bts'dynamite | 의
x&日本 lemon | plain | lemon | x&日本
x&日本 lemon | n-grams | x&lemon | 日 | 日本 | 本
BTS의 Dynamite | plain | bts의 | dynamite
BTS의 Dynamite | n-grams | bts | dynamite | 의
AT&T 日本 tea | plain | at&t | tea | 日本
AT&T 日本 tea | n-grams | at&t | tea | 日 | 日本 | 本
END
echo "as described"
