//! Functions that emitted numbers call, each written only where it is called.

/// Name, what it calls, text. `FUNCTION` is what the target writes before a function.
const HELPERS: &[(&str, &[&str], &str)] = &[
    (
        "absolute",
        &[],
        "FUNCTION whole absolute(whole x) { return x < 0 ? -x : x; }\n",
    ),
    (
        "least",
        &[],
        "FUNCTION whole least(whole x, whole y) { return y < x ? y : x; }\n",
    ),
    (
        "greatest",
        &[],
        "FUNCTION whole greatest(whole x, whole y) { return y > x ? y : x; }\n",
    ),
    (
        "least_real",
        &[],
        "/* A number beats NaN, and -0 is below 0. */\n\
         FUNCTION real least_real(real x, real y)\n{\n    \
         return isnan(y) || x < y || (x == y && signbit(x)) ? x : y;\n}\n",
    ),
    (
        "greatest_real",
        &[],
        "/* A number beats NaN, and -0 is below 0. */\n\
         FUNCTION real greatest_real(real x, real y)\n{\n    \
         return isnan(y) || x > y || (x == y && !signbit(x)) ? x : y;\n}\n",
    ),
    (
        "floor_div",
        &[],
        "/* Towards minus infinity; 0 where nobody asks, since y is 0. */\n\
         FUNCTION whole floor_div(whole x, whole y)\n{\n    \
         if (y == 0)\n        return 0;\n    \
         if (y == -1)\n        return -x;\n    \
         return x / y - (x % y != 0 && (x < 0) != (y < 0));\n}\n",
    ),
    (
        "floor_mod",
        &["floor_div"],
        "/* What floor division leaves. */\n\
         FUNCTION whole floor_mod(whole x, whole y) { return x - y * floor_div(x, y); }\n",
    ),
    (
        "ceil_div",
        &[],
        "/* Towards infinity; 0 where nobody asks, since y is 0. */\n\
         FUNCTION whole ceil_div(whole x, whole y)\n{\n    \
         if (y == 0)\n        return 0;\n    \
         if (y == -1)\n        return -x;\n    \
         return x / y + (x % y != 0 && (x < 0) == (y < 0));\n}\n",
    ),
    (
        "power",
        &[],
        "FUNCTION whole power(whole x, whole y)\n{\n    whole result = 1;\n    \
         for (; y > 0; y /= 2) {\n        if (y % 2 == 1)\n            result *= x;\n        \
         if (y > 1)\n            x *= x;\n    }\n    return result;\n}\n",
    ),
    (
        "order_of_ratios",
        &[],
        "/* Below, at or above 0 as x/u is below, at or above y/v. */\n\
         FUNCTION int order_of_ratios(whole x, whole u, whole y, whole v)\n{\n    \
         whole left = x * v, right = y * u;\n    \
         int order = (left > right) - (left < right);\n    \
         return (u < 0) != (v < 0) ? -order : order;\n}\n",
    ),
    (
        "floor_log",
        &["ceil_log_up"],
        "/* The largest k with base^k <= x/u, which is above 0. */\n\
         FUNCTION whole floor_log(whole base, whole x, whole u)\n{\n    \
         if (u < 0) {\n        x = -x;\n        u = -u;\n    }\n    \
         if (x < u)\n        return -ceil_log_up(base, u, x);\n    \
         whole k = 0;\n    for (whole q = u == 0 ? 0 : x / u; q >= base; q /= base)\n        k++;\n    \
         return k;\n}\n",
    ),
    (
        "ceil_log_up",
        &[],
        "/* The least k with base^k >= x/u, of x >= u above 0. */\n\
         FUNCTION whole ceil_log_up(whole base, whole x, whole u)\n{\n    \
         if (u <= 0)\n        return 0;\n    \
         whole k = 0;\n    for (whole q = (x - 1) / u; q > 0; q /= base)\n        k++;\n    \
         return k;\n}\n",
    ),
    (
        "ceil_log",
        &["floor_log", "ceil_log_up"],
        "/* The least k with base^k >= x/u, which is above 0. */\n\
         FUNCTION whole ceil_log(whole base, whole x, whole u)\n{\n    \
         if (u < 0) {\n        x = -x;\n        u = -u;\n    }\n    \
         return x < u ? -floor_log(base, u, x) : ceil_log_up(base, x, u);\n}\n",
    ),
    (
        "floor_log2",
        &[],
        "/* The largest k with 2^k <= x, of x above 0. */\n\
         FUNCTION whole floor_log2(whole x)\n{\n    \
         whole k = 0;\n    for (int bits = 32; bits > 0; bits /= 2)\n        \
         if (x >> bits > 0) {\n            x >>= bits;\n            k += bits;\n        }\n    \
         return k;\n}\n",
    ),
    (
        "ceil_log2",
        &["floor_log2"],
        "/* The least k with 2^k >= x, of x above 0. */\n\
         FUNCTION whole ceil_log2(whole x) { return x <= 1 ? 0 : floor_log2(x - 1) + 1; }\n",
    ),
    (
        "floor_root",
        &[],
        "/* The largest r with r * r <= x/u. */\n\
         FUNCTION whole floor_root(whole x, whole u)\n{\n    \
         whole q = u == 0 ? 0 : x / u, low = 0, high = 3037000499;\n    \
         while (low < high) {\n        whole middle = (low + high + 1) / 2;\n        \
         if (middle * middle <= q)\n            low = middle;\n        else\n            \
         high = middle - 1;\n    }\n    return low;\n}\n",
    ),
    (
        "ceil_root",
        &["floor_root"],
        "/* The least r with r * r >= x/u. */\n\
         FUNCTION whole ceil_root(whole x, whole u)\n{\n    \
         if (u < 0) {\n        x = -x;\n        u = -u;\n    }\n    \
         return x <= 0 || u <= 0 ? 0 : floor_root((x - 1) / u, 1) + 1;\n}\n",
    ),
    (
        "divides",
        &[],
        "FUNCTION bool divides(whole x, whole y) { return x == 0 ? y == 0 : x == -1 || y % x == 0; }\n",
    ),
    (
        "is_power_of",
        &[],
        "/* x = y^k for some k >= 0; nothing below 1 is a power. */\n\
         FUNCTION bool is_power_of(whole x, whole y)\n{\n    \
         if (x <= 1 || (y >= -1 && y <= 1))\n        return x == 1;\n    \
         while (x % y == 0)\n        x /= y;\n    return x == 1;\n}\n",
    ),
    (
        "shift_left",
        &[],
        "FUNCTION whole shift_left(whole x, whole y) { return y > 62 ? 0 : x << y; }\n",
    ),
    (
        "shift_right",
        &[],
        "FUNCTION whole shift_right(whole x, whole y) { return x >> (y > 62 ? 63 : y); }\n",
    ),
    (
        "floor_real",
        &[],
        "FUNCTION whole floor_real(real x) { return (whole)floor(x); }\n",
    ),
    (
        "ceil_real",
        &[],
        "FUNCTION whole ceil_real(real x) { return (whole)ceil(x); }\n",
    ),
    (
        "place_in_block",
        &[],
        "/* Where the word of this number in a block of an array lies. */\n\
         FUNCTION whole place_in_block(\n    \
         whole rank, const whole *extents, const whole *low, const whole *high, whole number)\n{\n    \
         whole place = 0, rest = 1;\n    for (whole at = 0; at < rank; at++)\n        \
         rest *= high[at] - low[at] + 1;\n    for (whole at = 0; at < rank; at++) {\n        \
         rest /= high[at] - low[at] + 1;\n        \
         place = place * extents[at] + low[at] + number / rest % (high[at] - low[at] + 1);\n    }\n    \
         return place;\n}\n",
    ),
    (
        "log_real",
        &[],
        "FUNCTION real log_real(real base, real x)\n{\n    \
         return base == 2 ? log2(x) : base == 10 ? log10(x) : log(x) / log(base);\n}\n",
    ),
];

/// The names of all of them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    HELPERS.iter().map(|(name, _, _)| *name)
}

/// The texts of the functions called, each after those that it calls.
pub(crate) fn texts(called: &[&'static str]) -> String {
    let mut done: Vec<&str> = Vec::new();
    let mut text = String::new();
    for name in called {
        write(name, &mut done, &mut text);
    }
    text
}

fn write<'n>(name: &'n str, done: &mut Vec<&'n str>, text: &mut String) {
    if done.contains(&name) {
        return;
    }
    done.push(name);
    let helper = HELPERS.iter().find(|(known, _, _)| *known == name);
    if let Some((_, calls, body)) = helper {
        calls.iter().for_each(|called| write(called, done, text));
        text.push_str(body);
    }
}
