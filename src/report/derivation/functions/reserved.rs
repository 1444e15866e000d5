//! The reserved words of every target, in one table: no parameter and no function may have such a name.
//!
//! A parameter hides a word inside its function alone, but the function uses the word (`float` in NumPy), or the word
//! cannot be hidden (`None` is a pattern in Rust, `M_PI` a macro in C). So a target reserves its keywords, its prelude and
//! built-in functions, the macros of its headers, and the names that the generated code itself uses (`sum_` in C).
//! Helpers are added by [`Names`](super::names::Names).

/// Python, NumPy and SymPy: keywords, built-in functions, and the imports of the generated modules.
pub(super) const PYTHON: &str = "\
    False None True and as assert async await break class continue def del elif else except \
    finally for from global if import in is lambda nonlocal not or pass raise return try while \
    with yield Decimal Fraction localcontext max min np range sum Symbol Rational Piecewise Min \
    Max Eq Ne And Or Not Mod Sum S sympy sqrt Function ArithmeticError AssertionError \
    AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError \
    BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError \
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError \
    Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning \
    GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError \
    IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError \
    NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError \
    PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError \
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError \
    SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning \
    UserWarning ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin bool \
    breakpoint bytearray bytes callable chr classmethod compile complex copyright credits \
    delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr \
    globals hasattr hash help hex id input int isinstance issubclass iter len license list \
    locals map memoryview next object oct open ord pow print property quit repr reversed round \
    set setattr slice sorted staticmethod str super tuple type vars zip match case _ plain term \
    self";

/// C, and C++ for who compiles it as such: keywords, macros of `math.h`, predefined macros, and locals of the generated sums.
pub(super) const C: &str = "\
    auto break case char const continue default do double else enum extern float for goto if \
    inline int long register restrict return short signed sizeof static struct switch typedef \
    union unsigned void volatile while bool true false nullptr constexpr sqrt floor ceil fmin \
    fmax fmod fabs log pow rint isfinite NAN INFINITY class namespace new delete this template \
    operator private public protected virtual friend try catch throw using and or not xor asm \
    main _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert \
    _Thread_local alignas alignof static_assert thread_local typeof typeof_unqual explicit \
    export mutable typename typeid decltype noexcept co_await co_return co_yield concept \
    requires consteval constinit char8_t char16_t char32_t wchar_t const_cast dynamic_cast \
    reinterpret_cast static_cast and_eq or_eq not_eq xor_eq bitand bitor compl unix linux i386 \
    HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL FP_ILOGB0 \
    FP_ILOGBNAN FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_INT_UPWARD FP_INT_DOWNWARD \
    FP_INT_TOWARDZERO FP_INT_TONEARESTFROMZERO FP_INT_TONEAREST MATH_ERRNO MATH_ERREXCEPT \
    math_errhandling SNAN SNANF SNANL DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS MAXFLOAT M_E \
    M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 \
    isnan isinf signbit isnormal fpclassify exp2 log2 sum_ last_";

/// Rust of every edition: keywords, and the constructors of the prelude.
pub(super) const RUST: &str = "\
    as async await break const continue crate dyn else enum extern false fn for if impl in let \
    loop match mod move mut pub ref return self Self static struct super trait true type unsafe \
    use where while abstract become box do final macro override priv typeof unsized virtual \
    yield try gen f64 bool _ None Some Ok Err union u8 i64 f32 str char";

/// Julia: keywords, and the functions and constants of `Base` that formulas use.
pub(super) const JULIA: &str = "\
    baremodule begin break catch const continue do else elseif end export false finally for \
    function global if import in isa let local macro module quote return struct true try using \
    where while abs ceil floor fld isfinite isinteger log max min mod rem round sqrt sum NaN \
    Float64 mutable primitive abstract type outer public as pi im e Inf NaN32 Inf32 big Int \
    Int64 Bool abs2 zero one gcd lcm div ifelse missing nothing ans ℯ π";

/// DuckDB and SQLite: keywords and types.
pub(super) const SQL: &str = "\
    all analyse analyze and any array as asc asymmetric both case cast check collate column \
    constraint create default deferrable desc describe distinct do else end except false fetch \
    for foreign from grant group having in initially intersect into is lambda lateral leading \
    like limit not null offset on only or order pivot placing primary qualify references \
    returning select show some summarize symmetric table then to trailing true union unique \
    unpivot using variadic when where window with double bigint try_cast values range row \
    between if interval exists";

/// Spreadsheets: constants and the functions that formulas use.
pub(super) const EXCEL: &str = "\
    TRUE FALSE LAMBDA LET LOG MIN MAX SUM MAP AND OR NOT IF IFS FLOOR CEILING INT ROUND MOD GCD \
    SQRT POWER SEQUENCE ABS SIGN EXP LN LOG2 LOG10 QUOTIENT SUMPRODUCT N T";
