" Made by tests/suite/editors from the language's grammar; do not edit.
if exists("b:current_syntax")
  finish
endif
scriptencoding utf-8
syntax iskeyword @,48-57,_,'
syntax keyword atgpuKeyword algorithm require ensure input output host global shared as let claim kernel end for if while all in parallel do downto until at most then else execute swap atomic to
syntax keyword atgpuWord and divides div exists forall implies is log mod not or sum
syntax keyword atgpuFunction min max abs select sqrt exp ln sin cos bitand bitor bitxor shl shr gcd digit_sum floor_sum ceil floor
syntax keyword atgpuType int float
syntax match atgpuQuantity "\%(\<claim\s\+\)\@<=\%(rounds\|time\|total_time\|io\|inward\|outward\|transfer\|transactions\|transfer_cost\|shared\|global\|bank_conflicts\|cost\|gpu_cost\)\>"
syntax match atgpuType "\%(\<as\s\+\)\@<=\%(sorted\|permutation\|list\)\>"
syntax match atgpuShared "\<_\k\+"
syntax match atgpuHost "\<\u\k*"
syntax match atgpuName "\%(\<\%(algorithm\|kernel\|execute\)\s\+\)\@<=\k\+"
syntax match atgpuNumber "\<\d\+\%(_\d\+\)*\%(\.\d\+\)\?\%(e[-−+]\?\d\+\)\?\>"
syntax match atgpuAccess "⇐\|↔\|<->\|<="
syntax match atgpuMove "←\|<-"
syntax match atgpuTransfer "⇚\|<=="
syntax match atgpuLabel "^\s*\d\+\s*:"
syntax match atgpuComment "\%(▷\|//\).*$" contains=@Spell
highlight default link atgpuKeyword Keyword
highlight default link atgpuWord Operator
highlight default link atgpuFunction Function
highlight default link atgpuType Type
highlight default link atgpuName Title
highlight default link atgpuQuantity Constant
highlight default link atgpuShared Identifier
highlight default link atgpuHost PreProc
highlight default link atgpuNumber Number
highlight default link atgpuTransfer PreProc
highlight default link atgpuAccess Statement
highlight default link atgpuMove Identifier
highlight default link atgpuLabel Label
highlight default link atgpuComment Comment
let b:current_syntax = "atgpu"
