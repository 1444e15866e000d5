
/* The device's side of transfers and launches; times are those of its own events. */
typedef void *buffer;
static cudaEvent_t event_first, event_last;
static struct cudaDeviceProp device_is;

static inline void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(3);
    }
}

static inline void device_open(void)
{
    int device = 0;
    check(cudaGetDevice(&device), "no device");
    check(cudaGetDeviceProperties(&device_is, device), "the device's properties");
    check(cudaEventCreate(&event_first), "an event");
    check(cudaEventCreate(&event_last), "an event");
}

static inline const char *device_name(void) { return device_is.name; }

static inline const char *device_driver(void)
{
    static char text[64];
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver), "the driver's version");
    check(cudaRuntimeGetVersion(&runtime), "the runtime's version");
    snprintf(
        text, sizeof text, "CUDA %d.%d, runtime %d.%d", driver / 1000, driver % 1000 / 10,
        runtime / 1000, runtime % 1000 / 10);
    return text;
}

/* What the device says of itself. */
static inline void device_reports(void)
{
    int device = 0, khz = 0;
    check(cudaGetDevice(&device), "no device");
    check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device), "the device's clock");
    printf(
        "reports: multiprocessors=%d max_blocks=%d clock_mhz=%d ", device_is.multiProcessorCount,
        device_is.maxBlocksPerMultiProcessor, khz / 1000);
    printf(
        "shared_bytes=%zu global_bytes=%zu l2_bytes=%d\n", device_is.sharedMemPerMultiprocessor,
        device_is.totalGlobalMem, device_is.l2CacheSize);
}

/* Locks an array of the host in memory, where `--pinned yes` asks for it. */
static inline void device_pin(void *array, whole words, char kind)
{
    if (words > 0 && strcmp(option("--pinned", "no"), "yes") == 0)
        check(
            cudaHostRegister(array, (size_t)words * size_of(kind), cudaHostRegisterDefault),
            "page-locked memory");
}

static inline buffer device_array(whole words, char kind)
{
    void *array = NULL;
    if (words < 0)
        fail("an array has a negative size", "");
    check(cudaMalloc(&array, words == 0 ? 8 : (size_t)words * size_of(kind)), "global memory");
    return array;
}

/* The MPs that are one thread block: as many as there is room for, with so many bytes of shared memory each. */
static inline whole device_together(whole most, size_t bytes)
{
    const whole fit = (whole)(device_is.sharedMemPerBlockOptin / (bytes == 0 ? 1 : bytes));
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* A kernel gets more than 48 KiB where it asks for them. */
static inline void device_shared(const void *kernel, size_t bytes)
{
    if (bytes > 48 * 1024)
        check(
            cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
            "shared memory");
}

static inline void event_begin(void) { check(cudaEventRecord(event_first), "an event"); }

/* Keeps the device busy for 60 microseconds. */
static __global__ void pause_device(void)
{
    unsigned long long first, now_is;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(first));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now_is));
    } while (now_is - first < 60000);
}

/* Before a launch that is timed: while the device pauses, event and kernel get into its queue, so that no time
   passes between them in which it waits for the host. */
static inline void launch_begin(void)
{
    if (option("--times", "")[0] != '\0')
        pause_device<<<1, 1>>>();
    event_begin();
}

static inline void event_end(const char *kind, int line, whole amount)
{
    float ms = 0;
    check(cudaEventRecord(event_last), "an event");
    check(cudaEventSynchronize(event_last), kind);
    check(cudaEventElapsedTime(&ms, event_first, event_last), "an event");
    note(kind, line, amount, (double)ms);
}

static inline void device_write(buffer to, size_t first, const void *from, size_t bytes)
{
    check(cudaMemcpy((char *)to + first, from, bytes, cudaMemcpyHostToDevice), "a transfer");
}

static inline void device_read(void *to, buffer from, size_t first, size_t bytes)
{
    check(cudaMemcpy(to, (const char *)from + first, bytes, cudaMemcpyDeviceToHost), "a transfer");
}

/* Rows of so many bytes, apart on the device; one by one where a card has no pitch as wide. */
static inline void device_write_rows(
    buffer to, size_t first, size_t apart, const void *from, size_t bytes, size_t rows)
{
    if (rows == 1 || apart > device_is.memPitch) {
        for (size_t at = 0; at < rows; at++)
            device_write(to, first + at * apart, (const char *)from + at * bytes, bytes);
        return;
    }
    check(
        cudaMemcpy2D(
            (char *)to + first, apart, from, bytes, bytes, rows, cudaMemcpyHostToDevice),
        "a transfer");
}

static inline void device_read_rows(
    void *to, buffer from, size_t first, size_t apart, size_t bytes, size_t rows)
{
    if (rows == 1 || apart > device_is.memPitch) {
        for (size_t at = 0; at < rows; at++)
            device_read((char *)to + at * bytes, from, first + at * apart, bytes);
        return;
    }
    check(
        cudaMemcpy2D(
            to, bytes, (const char *)from + first, apart, bytes, rows, cudaMemcpyDeviceToHost),
        "a transfer");
}

static inline unsigned grid(whole mps)
{
    if (mps > INT32_MAX)
        fail("more than 2^31 - 1 MPs in one launch", "");
    return (unsigned)mps;
}
