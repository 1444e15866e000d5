/* ---- the host's side: arguments, data, transfers, times; nothing of the program itself ---- */

static int argument_count;
static char **argument_values;

static inline void fail(const char *what, const char *which)
{
    fprintf(stderr, "%s%s\n", what, which);
    exit(2);
}

/* The text behind `NAME=`, or NULL. */
static inline const char *given(const char *name)
{
    size_t length = strlen(name);
    for (int at = argument_count - 1; at > 0; at--)
        if (strncmp(argument_values[at], name, length) == 0 && argument_values[at][length] == '=')
            return argument_values[at] + length + 1;
    return NULL;
}

static inline whole number_of(const char *text, const char *name)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*text == '\0' || *end != '\0')
        fail("this is no whole number, for ", name);
    if (value == INT64_MAX || value == INT64_MIN)
        fail("this does not fit in 64 bits, for ", name);
    return value;
}

static inline whole formal(const char *name, bool has_default, whole otherwise)
{
    const char *text = given(name);
    if (text == NULL && !has_default)
        fail("give a value: NAME=VALUE, for ", name);
    whole value = text == NULL ? otherwise : number_of(text, name);
    if (value < 0)
        fail("this is negative: ", name);
    return value;
}

/* A size, if indices of 32 bits are proved for it. */
static inline whole fitting(whole value, whole most, const char *what)
{
    if (value > most) {
        fprintf(
            stderr, "%s = %lld is above %lld, up to which indices of 32 bits are proved: emit it with this size as -D\n",
            what, (long long)value, (long long)most);
        exit(2);
    }
    return value;
}

/* The value behind `--NAME`, or the other. */
static inline const char *option(const char *name, const char *otherwise)
{
    for (int at = 1; at + 1 < argument_count; at++)
        if (strcmp(argument_values[at], name) == 0)
            return argument_values[at + 1];
    return otherwise;
}

/* Every argument is NAME=VALUE for one of the names, or an option and its value. */
static inline void arguments_known(const char *const *names)
{
    static const char *const options[] = {"--seed", "--repeat", "--warm-up", "--out",
                                          "--times", "--kernels", "--device", "--pinned", NULL};
    for (int at = 1; at < argument_count; at++) {
        const char *argument = argument_values[at];
        bool is_known = false;
        if (strncmp(argument, "--", 2) == 0) {
            for (const char *const *known = options; *known != NULL; known++)
                is_known = is_known || strcmp(argument, *known) == 0;
            if (is_known && ++at == argument_count)
                fail("give a value behind ", argument);
        } else {
            for (const char *const *known = names; *known != NULL; known++) {
                size_t length = strlen(*known);
                bool begins = strncmp(argument, *known, length) == 0;
                is_known = is_known || (begins && argument[length] == '=');
            }
        }
        if (!is_known)
            fail("no such argument: ", argument);
    }
}

static inline void require(bool holds, const char *condition)
{
    if (!holds)
        fail("does not hold: ", condition);
}

static inline size_t size_of(char kind)
{
    return kind == 'i' ? sizeof(word) : sizeof(real);
}

static inline void *host_array(whole words, char kind)
{
    if (words < 0)
        fail("an array has a negative size", "");
    void *array = calloc(words == 0 ? 1 : (size_t)words, size_of(kind));
    if (array == NULL)
        fail("the host has too little memory", "");
    return array;
}

/* SplitMix64 (Steele, Lea, Flood 2014), from the seed and the array's name: the data of `atgpu run`. */
static uint64_t generator;

static inline uint64_t draw(void)
{
    generator += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = generator;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static inline void generate_from(const char *name)
{
    const char *seed = option("--seed", "0");
    char *end;
    generator = strtoull(seed, &end, 10);
    if (*seed < '0' || *seed > '9' || *end != '\0')
        fail("this is no whole number from 0, for ", "--seed");
    for (; *name != '\0'; name++)
        generator = draw() ^ (uint64_t)(unsigned char)*name;
}

static inline int64_t draw_int(int64_t low, int64_t high)
{
    uint64_t values = (uint64_t)high - (uint64_t)low + 1, drawn = draw();
    if (values == 0)
        return (int64_t)((uint64_t)low + drawn);
    /* The upper half of the product of 128 bits. */
    uint64_t x = values >> 32, y = values & UINT32_MAX, u = drawn >> 32, v = drawn & UINT32_MAX;
    uint64_t middle = x * v + (y * v >> 32), other = y * u + (middle & UINT32_MAX);
    return (int64_t)((uint64_t)low + x * u + (middle >> 32) + (other >> 32));
}

static inline double draw_float(double low, double high)
{
    double unit = (double)(draw() >> 11) / 9007199254740992.0;
    double value = low * (1.0 - unit) + high * unit;
    return value < low ? low : value > high ? high : value;
}

static inline int by_int(const void *left, const void *right)
{
    int64_t x = *(const int64_t *)left, y = *(const int64_t *)right;
    return (x > y) - (x < y);
}

static inline int by_float(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return x == y ? !!signbit(y) - !!signbit(x) : (x > y) - (x < y);
}

enum property { ANY, SORTED, PERMUTATION, LIST };

static inline void generate_ints(
    word *into, whole words, const char *name, enum property as, int64_t low, int64_t high)
{
    int64_t *drawn = (int64_t *)calloc(words == 0 ? 1 : (size_t)words, sizeof(int64_t));
    if (drawn == NULL)
        fail("the host has too little memory for ", name);
    generate_from(name);
    if (as == PERMUTATION || as == LIST) {
        for (whole at = 0; at < words; at++)
            drawn[at] = at;
        for (whole at = words - 1; at >= 1; at--) {
            int64_t other = draw_int(0, at), held = drawn[at];
            drawn[at] = drawn[other];
            drawn[other] = held;
        }
        for (whole at = 0; at < words; at++) {
            if (as == PERMUTATION)
                into[at] = (word)drawn[at];
            else
                into[drawn[at]] = (word)drawn[at + 1 < words ? at + 1 : at];
        }
    } else {
        for (whole at = 0; at < words; at++)
            drawn[at] = draw_int(low, high);
        if (as == SORTED)
            qsort(drawn, (size_t)words, sizeof(int64_t), by_int);
        for (whole at = 0; at < words; at++)
            into[at] = (word)drawn[at];
    }
    free(drawn);
}

static inline void generate_floats(
    real *into, whole words, const char *name, enum property as, double low, double high)
{
    double *drawn = (double *)calloc(words == 0 ? 1 : (size_t)words, sizeof(double));
    if (drawn == NULL)
        fail("the host has too little memory for ", name);
    generate_from(name);
    for (whole at = 0; at < words; at++)
        drawn[at] = draw_float(low, high);
    if (as == SORTED)
        qsort(drawn, (size_t)words, sizeof(double), by_float);
    for (whole at = 0; at < words; at++)
        into[at] = (real)drawn[at];
    free(drawn);
}

/* Writes an array as NumPy reads it. */
static inline void write_npy(
    const char *folder, const char *name, const void *array, char kind, int rank,
    const whole *extents)
{
    char path[4096], shape[1024] = "", head[1200];
    size_t words = 1, used = 0;
    for (int at = 0; at < rank; at++) {
        words *= (size_t)extents[at];
        used += (size_t)snprintf(
            shape + used, sizeof shape - used, at > 0 ? ", %lld" : rank == 1 ? "%lld," : "%lld",
            (long long)extents[at]);
    }
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        fail("cannot write ", path);
    int length = snprintf(
        head, sizeof head, "{'descr': '<%c%d', 'fortran_order': False, 'shape': (%s), }", kind,
        (int)size_of(kind), shape);
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(padded & 255, file);
    fputc(padded >> 8, file);
    fprintf(file, "%s%*s\n", head, padded - length - 1, "");
    if (words > 0 && fwrite(array, size_of(kind), words, file) != words)
        fail("cannot write ", path);
    if (fclose(file) != 0)
        fail("cannot write ", path);
}

/* What is timed, and in each repetition the milliseconds. */
struct event { const char *kind; int line; whole amount; };
static struct event *events;
static double *times;
static size_t event_count, event_room, time_count, time_room;
static bool is_first_run, is_warm;

static inline void note(const char *kind, int line, whole amount, double ms)
{
    if (is_first_run) {
        if (event_count == event_room) {
            event_room = 2 * event_room + 64;
            events = (struct event *)realloc(events, event_room * sizeof *events);
        }
        if (events == NULL)
            fail("the host has too little memory for the times", "");
        events[event_count].kind = kind;
        events[event_count].line = line;
        events[event_count++].amount = amount;
    }
    if (!is_warm)
        return;
    if (time_count == time_room) {
        time_room = 2 * time_room + 64;
        times = (double *)realloc(times, time_room * sizeof *times);
    }
    if (times == NULL)
        fail("the host has too little memory for the times", "");
    times[time_count++] = ms;
}

/* A row for each event: median and least of all repetitions. */
static inline void write_times(const char *path, int repeats)
{
    FILE *file = fopen(path, "w");
    double *all = (double *)malloc(sizeof(double) * (size_t)(repeats == 0 ? 1 : repeats));
    if (file == NULL || all == NULL)
        fail("cannot write ", path);
    fprintf(file, "event,line,amount,ms,least_ms\n");
    for (size_t at = 0; at < event_count; at++) {
        for (int repeat = 0; repeat < repeats; repeat++)
            all[repeat] = times[(size_t)repeat * event_count + at];
        qsort(all, (size_t)repeats, sizeof(double), by_float);
        double median = (all[(repeats - 1) / 2] + all[repeats / 2]) / 2;
        fprintf(
            file, "%s,%d,%lld,%.9g,%.9g\n", events[at].kind, events[at].line,
            (long long)events[at].amount, median, all[0]);
    }
    free(all);
    if (fclose(file) != 0)
        fail("cannot write ", path);
}

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}
