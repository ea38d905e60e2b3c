/* MARK("name") divides the fake engine's log. */
#ifdef __cplusplus
extern "C"
#endif
    void
    AnnotateThreadName(const char* file, int line, const char* name);
#define MARK(name) AnnotateThreadName(__FILE__, __LINE__, name)
