
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

static inline void device_open(void)
{
    cl_platform_id platform;
    cl_int error;
    size_t length;
    check(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no OpenCL device");
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
