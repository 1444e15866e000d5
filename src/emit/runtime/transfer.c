
/* The words of one kind from words of another; only ints become floats. */
static inline void convert(void *to, char to_kind, const void *from, char from_kind, whole words)
{
    if (to_kind == from_kind) {
        memcpy(to, from, (size_t)words * size_of(to_kind));
        return;
    }
    for (whole at = 0; at < words; at++)
        ((real *)to)[at] = (real)((const word *)from)[at];
}

/* Words in a row, from the host to the device. */
static inline void inward(
    int line, buffer to, char to_kind, whole to_first, const void *from, char from_kind,
    whole from_first, whole words)
{
    const char *source = (const char *)from + (size_t)from_first * size_of(from_kind);
    void *held = NULL;
    if (to_kind != from_kind && words > 0) {
        held = host_array(words, to_kind);
        convert(held, to_kind, source, from_kind, words);
        source = (const char *)held;
    }
    event_begin();
    if (words > 0)
        device_write(
            to, (size_t)to_first * size_of(to_kind), source, (size_t)words * size_of(to_kind));
    event_end("inward", line, words);
    free(held);
}

/* Words in a row, from the device to the host. */
static inline void outward(
    int line, void *to, char to_kind, whole to_first, buffer from, char from_kind,
    whole from_first, whole words)
{
    char *target = (char *)to + (size_t)to_first * size_of(to_kind);
    void *held = to_kind == from_kind || words <= 0 ? NULL : host_array(words, from_kind);
    event_begin();
    if (words > 0)
        device_read(
            held == NULL ? target : held, from, (size_t)from_first * size_of(from_kind),
            (size_t)words * size_of(from_kind));
    event_end("outward", line, words);
    if (held != NULL)
        convert(target, to_kind, held, from_kind, words);
    free(held);
}

/* A block of an array: in each dimension a first and a last index. */
struct block { int rank; const whole *extents, *low, *high; };

static inline whole words_of(struct block block)
{
    whole words = 1;
    for (int at = 0; at < block.rank; at++) {
        whole many = block.high[at] - block.low[at] + 1;
        words *= many > 0 ? many : 0;
    }
    return words;
}

/* Where the word of this number in a block lies, and how many follow it in a row. */
static inline whole place_of(struct block block, whole number, whole *row)
{
    whole place = 0, rest = words_of(block);
    for (int at = 0; at < block.rank; at++) {
        whole many = block.high[at] - block.low[at] + 1;
        rest /= many;
        place = place * block.extents[at] + block.low[at] + number / rest % many;
    }
    whole many = block.high[block.rank - 1] - block.low[block.rank - 1] + 1;
    *row = many - number % many;
    return place;
}

/* A block, row by row; one event. */
static inline void inward_block(
    int line, buffer to, char to_kind, struct block to_block, const void *from, char from_kind,
    struct block from_block)
{
    whole words = words_of(to_block), row;
    char *held = (char *)host_array(words, to_kind);
    for (whole at = 0; at < words; at += row) {
        whole place = place_of(from_block, at, &row);
        const char *source = (const char *)from + (size_t)place * size_of(from_kind);
        convert(held + (size_t)at * size_of(to_kind), to_kind, source, from_kind, row);
    }
    event_begin();
    for (whole at = 0; at < words; at += row) {
        whole place = place_of(to_block, at, &row);
        device_write(
            to, (size_t)place * size_of(to_kind), held + (size_t)at * size_of(to_kind),
            (size_t)row * size_of(to_kind));
    }
    event_end("inward", line, words);
    free(held);
}

static inline void outward_block(
    int line, void *to, char to_kind, struct block to_block, buffer from, char from_kind,
    struct block from_block)
{
    whole words = words_of(from_block), row;
    char *held = (char *)host_array(words, from_kind);
    event_begin();
    for (whole at = 0; at < words; at += row) {
        whole place = place_of(from_block, at, &row);
        device_read(
            held + (size_t)at * size_of(from_kind), from, (size_t)place * size_of(from_kind),
            (size_t)row * size_of(from_kind));
    }
    event_end("outward", line, words);
    for (whole at = 0; at < words; at += row) {
        whole place = place_of(to_block, at, &row);
        char *target = (char *)to + (size_t)place * size_of(to_kind);
        convert(
            target, to_kind, held + (size_t)at * size_of(from_kind), from_kind, row);
    }
    free(held);
}
