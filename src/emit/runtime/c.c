
/* The device is this processor. */
typedef void *buffer;
static double began;

static inline void device_open(void) {}
static inline const char *device_name(void) { return "cpu"; }
static inline const char *device_driver(void) { return ""; }
static inline void device_reports(void) {}
static inline buffer device_array(whole words, char kind) { return host_array(words, kind); }
static inline void event_begin(void) { began = now(); }

static inline void event_end(const char *kind, int line, whole amount)
{
    note(kind, line, amount, now() - began);
}

static inline void device_write(buffer to, size_t first, const void *from, size_t bytes)
{
    memcpy((char *)to + first, from, bytes);
}

static inline void device_read(void *to, buffer from, size_t first, size_t bytes)
{
    memcpy(to, (const char *)from + first, bytes);
}

/* Rows of so many bytes, apart on the device. */
static inline void device_write_rows(
    buffer to, size_t first, size_t apart, const void *from, size_t bytes, size_t rows)
{
    for (size_t at = 0; at < rows; at++)
        device_write(to, first + at * apart, (const char *)from + at * bytes, bytes);
}

static inline void device_read_rows(
    void *to, buffer from, size_t first, size_t apart, size_t bytes, size_t rows)
{
    for (size_t at = 0; at < rows; at++)
        device_read((char *)to + at * bytes, from, first + at * apart, bytes);
}
