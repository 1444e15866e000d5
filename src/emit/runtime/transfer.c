
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

/* A block as rows: how many words lie one behind the other, how many such rows lie alike, and how many words
   from the first word of one to that of the next. Rows of whole extents are one. */
struct rows { whole words, many, apart; };

static inline struct rows rows_of(struct block block)
{
    struct rows rows = {1, 1, 1};
    int at = block.rank - 1;
    for (bool is_whole = true; at >= 0 && is_whole; at--) {
        const whole many = block.high[at] - block.low[at] + 1;
        rows.words *= many;
        rows.apart *= block.extents[at];
        is_whole = many == block.extents[at];
    }
    if (at >= 0)
        rows.many = block.high[at] - block.low[at] + 1;
    return rows;
}

/* Where the word of this number in a block lies. */
static inline whole place_of(struct block block, whole number)
{
    whole place = 0, rest = words_of(block);
    for (int at = 0; at < block.rank; at++) {
        whole many = block.high[at] - block.low[at] + 1;
        rest /= many;
        place = place * block.extents[at] + block.low[at] + number / rest % many;
    }
    return place;
}

/* A block; one event, and one transaction but where rows of three dimensions lie apart. */
static inline void inward_block(
    int line, buffer to, char to_kind, struct block to_block, const void *from, char from_kind,
    struct block from_block)
{
    const whole words = words_of(to_block);
    const struct rows source_rows = rows_of(from_block), rows = rows_of(to_block);
    const size_t size = size_of(to_kind);
    const bool is_one_row = source_rows.words >= words && to_kind == from_kind;
    char *held = is_one_row || words <= 0 ? NULL : (char *)host_array(words, to_kind);
    for (whole at = 0; held != NULL && at < words; at += source_rows.words) {
        const whole place = place_of(from_block, at);
        const char *source = (const char *)from + (size_t)place * size_of(from_kind);
        convert(held + (size_t)at * size, to_kind, source, from_kind, source_rows.words);
    }
    const char *source = held;
    if (is_one_row && words > 0)
        source = (const char *)from + (size_t)place_of(from_block, 0) * size;
    event_begin();
    for (whole at = 0; at < words; at += rows.words * rows.many)
        device_write_rows(
            to, (size_t)place_of(to_block, at) * size, (size_t)rows.apart * size,
            source + (size_t)at * size, (size_t)rows.words * size, (size_t)rows.many);
    event_end("inward", line, words);
    free(held);
}

static inline void outward_block(
    int line, void *to, char to_kind, struct block to_block, buffer from, char from_kind,
    struct block from_block)
{
    const whole words = words_of(from_block);
    const struct rows target_rows = rows_of(to_block), rows = rows_of(from_block);
    const size_t size = size_of(from_kind);
    const bool is_one_row = target_rows.words >= words && to_kind == from_kind;
    char *held = is_one_row || words <= 0 ? NULL : (char *)host_array(words, from_kind);
    char *target = held;
    if (is_one_row && words > 0)
        target = (char *)to + (size_t)place_of(to_block, 0) * size;
    event_begin();
    for (whole at = 0; at < words; at += rows.words * rows.many)
        device_read_rows(
            target + (size_t)at * size, from, (size_t)place_of(from_block, at) * size,
            (size_t)rows.apart * size, (size_t)rows.words * size, (size_t)rows.many);
    event_end("outward", line, words);
    for (whole at = 0; held != NULL && at < words; at += target_rows.words) {
        const whole place = place_of(to_block, at);
        char *row = (char *)to + (size_t)place * size_of(to_kind);
        convert(row, to_kind, held + (size_t)at * size, from_kind, target_rows.words);
    }
    free(held);
}
