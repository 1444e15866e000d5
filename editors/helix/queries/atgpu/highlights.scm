; Made by tests/suite/editors from the language's grammar; do not edit.

[
  "algorithm"
  "require"
  "ensure"
  "input"
  "output"
  "host"
  "global"
  "shared"
  "as"
  "let"
  "claim"
  "kernel"
  "end"
  "for"
  "if"
  "while"
  "all"
  "parallel"
  "do"
  "downto"
  "until"
  "at"
  "most"
  "then"
  "execute"
  "swap"
  "atomic"
] @keyword

(comment) @comment
(label) @label
(number) @constant.numeric
(operator) @operator
(arrow ["⇚" "<=="]) @variable.parameter
(arrow ["⇐" "<="]) @operator
(arrow ["←" "<-"]) @variable.other.member
(dots) @punctuation.delimiter
(function) @function.builtin
(type) @type.builtin

((identifier) @variable.other.member
  (#match? @variable.other.member "^_"))
((identifier) @variable.parameter
  (#match? @variable.parameter "^[A-Z]"))
(kernel
  name: (identifier) @function)
(execute
  name: (identifier) @function)

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
  "⌈"
  "⌉"
  "⌊"
  "⌋"
] @punctuation.bracket

(identifier) @variable
