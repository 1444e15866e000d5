
/* The device's side of transfers and launches; times are those of its own events. */
typedef cl_mem buffer;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program kernels;
static char device_text[256], driver_text[256];
static double event_ms;

static inline void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
        exit(3);
    }
}

/* This very file: the device's compiler reads the part that is for it. */
static inline char *own_text(size_t *length)
{
    const char *path = option("--kernels", __FILE__);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("where are the kernels? Say --kernels FILE, instead of ", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = (char *)host_array((whole)(*length / sizeof(real)) + 1, 'f');
    if (fread(text, 1, *length, file) != *length)
        fail("cannot read ", path);
    fclose(file);
    return text;
}

/* The first device whose name holds `--device TEXT`; of several, one that is a GPU. */
static inline void device_choose(void)
{
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint platform_count = 0, device_count = 0;
    bool is_gpu = false;
    const char *wanted = option("--device", "");
    check(
        clGetPlatformIDs(16, platforms, &platform_count),
        "no OpenCL platform (is a driver installed?)");
    for (cl_uint at = 0; at < platform_count && at < 16; at++) {
        if (clGetDeviceIDs(platforms[at], CL_DEVICE_TYPE_ALL, 16, devices, &device_count) != CL_SUCCESS)
            continue;
        for (cl_uint turn = 0; turn < device_count && turn < 16; turn++) {
            cl_device_type type = 0;
            char name[256] = "";
            clGetDeviceInfo(devices[turn], CL_DEVICE_TYPE, sizeof type, &type, NULL);
            clGetDeviceInfo(devices[turn], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
            bool is_better = device == NULL || (!is_gpu && (type & CL_DEVICE_TYPE_GPU) != 0);
            if (strstr(name, wanted) == NULL || !is_better)
                continue;
            device = devices[turn];
            is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
        }
    }
    if (device == NULL) {
        fprintf(stderr, "no OpenCL device%s%s\n", wanted[0] == '\0' ? "" : " is called ", wanted);
        exit(3);
    }
}

static inline void device_open(void)
{
    cl_int error;
    size_t length;
    device_choose();
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_text - 1, device_text, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver_text - 1, driver_text, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "a context");
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "a queue");
    char *text = own_text(&length);
    kernels = clCreateProgramWithSource(context, 1, (const char **)&text, &length, &error);
    check(error, "the kernels");
    if (clBuildProgram(kernels, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(
            kernels, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fail("the device's compiler refuses the kernels:\n", log);
    }
    free(text);
}

static inline const char *device_name(void) { return device_text; }
static inline const char *device_driver(void) { return driver_text; }

/* What the device says of itself. */
static inline void device_reports(void)
{
    cl_uint units = 0, mhz = 0;
    cl_ulong local_bytes = 0, global_bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL);
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global_bytes, &global_bytes, NULL);
    printf("reports: multiprocessors=%u clock_mhz=%u ", units, mhz);
    printf(
        "shared_bytes=%llu global_bytes=%llu\n", (unsigned long long)local_bytes,
        (unsigned long long)global_bytes);
}

static inline buffer device_array(whole words, char kind)
{
    cl_int error;
    if (words < 0)
        fail("an array has a negative size", "");
    size_t bytes = words == 0 ? 8 : (size_t)words * size_of(kind);
    cl_mem array = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    check(error, "global memory");
    return array;
}

static inline cl_kernel kernel_of(const char *name)
{
    static struct { const char *name; cl_kernel kernel; } known[256];
    int at = 0;
    while (at < 255 && known[at].name != NULL && strcmp(known[at].name, name) != 0)
        at++;
    if (known[at].name == NULL || strcmp(known[at].name, name) != 0) {
        cl_int error;
        known[at].name = name;
        known[at].kernel = clCreateKernel(kernels, name, &error);
        check(error, name);
    }
    return known[at].kernel;
}

/* Waits for a command and adds the time it took. */
static inline void finish(cl_event event, const char *what)
{
    cl_ulong first = 0, last = 0;
    check(clWaitForEvents(1, &event), what);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof first, &first, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL);
    clReleaseEvent(event);
    event_ms += 1e-6 * (double)(last - first);
}

static inline void event_begin(void) { event_ms = 0; }
static inline void event_end(const char *kind, int line, whole amount)
{
    note(kind, line, amount, event_ms);
}

static inline void device_write(buffer to, size_t first, const void *from, size_t bytes)
{
    cl_event event;
    check(
        clEnqueueWriteBuffer(queue, to, CL_TRUE, first, bytes, from, 0, NULL, &event),
        "a transfer");
    finish(event, "a transfer");
}

static inline void device_read(void *to, buffer from, size_t first, size_t bytes)
{
    cl_event event;
    check(
        clEnqueueReadBuffer(queue, from, CL_TRUE, first, bytes, to, 0, NULL, &event),
        "a transfer");
    finish(event, "a transfer");
}

/* Rows of so many bytes, apart on the device. */
static inline void device_write_rows(
    buffer to, size_t first, size_t apart, const void *from, size_t bytes, size_t rows)
{
    const size_t at[] = {first % apart, first / apart, 0}, own[] = {0, 0, 0};
    const size_t region[] = {bytes, rows, 1};
    cl_event event;
    if (rows == 1) {
        device_write(to, first, from, bytes);
        return;
    }
    check(
        clEnqueueWriteBufferRect(
            queue, to, CL_TRUE, at, own, region, apart, 0, bytes, 0, from, 0, NULL, &event),
        "a transfer");
    finish(event, "a transfer");
}

static inline void device_read_rows(
    void *to, buffer from, size_t first, size_t apart, size_t bytes, size_t rows)
{
    const size_t at[] = {first % apart, first / apart, 0}, own[] = {0, 0, 0};
    const size_t region[] = {bytes, rows, 1};
    cl_event event;
    if (rows == 1) {
        device_read(to, from, first, bytes);
        return;
    }
    check(
        clEnqueueReadBufferRect(
            queue, from, CL_TRUE, at, own, region, apart, 0, bytes, 0, to, 0, NULL, &event),
        "a transfer");
    finish(event, "a transfer");
}

static inline void device_launch(cl_kernel kernel, whole mps, size_t cores)
{
    cl_event event;
    size_t all = (size_t)mps * cores;
    if (mps == 0)
        return;
    check(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &cores, 0, NULL, &event),
        "a launch");
    finish(event, "a launch");
}
