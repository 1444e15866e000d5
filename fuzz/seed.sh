#!/bin/sh
# Fills fuzz/corpus/ from the programs, machine files and tests of this repository.
set -eu
cd "$(dirname "$0")/.."
copy() { # copy TARGET LARGEST FILE…
    target=$1 largest=$2
    shift 2
    mkdir -p "fuzz/corpus/$target"
    for file in "$@"; do
        if [ -f "$file" ] && [ "$(wc -c <"$file")" -le "$largest" ]; then
            cp "$file" "fuzz/corpus/$target/$(printf %s "$file" | tr / _)"
        fi
    done
}
line() { # line TARGET TEXT…
    target=$1
    shift
    mkdir -p "fuzz/corpus/$target"
    for text in "$@"; do
        printf %s "$text" >"fuzz/corpus/$target/$(printf %s "$text" | cksum | cut -d' ' -f1)"
    done
}
programs=$(find programs tests -name '*.atgpu')
for target in parse check fmt; do
    copy "$target" 16384 $programs
done
for target in derive run; do
    copy "$target" 2048 $programs
done
copy machine 16384 src/machine/*.toml
for target in npy csv; do
    copy "$target" 16384 $(find tests -name "*.$target")
done
for target in parse check fmt derive run machine npy csv define vary; do
    copy "$target" 65536 $(find "tests/suite/fuzzed/$target" -type f 2>/dev/null || true)
done
line define 0 1000000 1_000 1e6 2^20 0.5 -7 2.5e-3 2^-1 1e400 9223372036854775807 " 5" ""
line vary n=2^16..2^26 n=1..1000:x10 n=0..10:+1 n=1,10,100 b=32 n=1..10:+0.3 k\'=1..2
line csv "1,2
3,4
" "words
1
2
" "0.5,nan
1e9,-1
"
printf "\223NUMPY\001\000\072\000{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }\n12345678" \
    >fuzz/corpus/npy/one
