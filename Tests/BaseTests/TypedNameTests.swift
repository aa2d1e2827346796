// SPDX-License-Identifier: MIT

import Base
import Testing

struct TypedNameTests {
  @Test(arguments: [
    "year", "First Name", "2020", "-x", "a\"b", "\"\"", "a,b", "x:desc", "=", "日本", "a.b@c_d-e", "\"a\"",
  ])
  func `every name is read as it was written, alone and in a list`(name: String) {
    let written = TypedName.written(name)
    #expect(TypedName.read(written) == name)
    for separator: Character in [",", ":", "="] {
      let list = "\(written)\(separator)\(written)\(separator)plain"
      #expect(TypedName.split(list, at: separator).map { TypedName.read($0) } == [name, name, "plain"])
    }
    #expect(TypedName.split("-\(written):desc", at: ":", behind: "-") == ["-" + written, "desc"])
  }

  @Test func `a name without quotation marks around it stays as it is`() {
    #expect(TypedName.split("a\"b,c\"\"d,,", at: ",") == ["a\"b", "c\"\"d", "", ""])
    for text in ["", "\"", "\"\"", "a\"", "2020"] { #expect(TypedName.read(text) == text) }
  }
}
