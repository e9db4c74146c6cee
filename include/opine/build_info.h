// build_info.h -- how this library was built and what it runs on, for bug reports and
// benchmarks.

#ifndef OPINE_BUILD_INFO_H
#define OPINE_BUILD_INFO_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OPN_MAX_LINKED = 16, OPN_MAX_VERSION = 32 };

// A linked library, with the version found at run time.
typedef struct opn_linked {
    const char *name; // "zlib"
    char version[OPN_MAX_VERSION];
} opn_linked;

// How the library was built; all texts are static.
typedef struct opn_build {
    const char *version;    // of this library, as opn_version()
    const char *compiler;   // "gcc 12.2.0"
    const char *build_type; // "Release"; "" when none was named
    const char *precision;  // of computation: "float", or "double" in a build for tests
    const char *kernels;    // "avx512", "avx2", "neon" or "ref", used by the inner loops
    const char *cpu;        // of what they need: "AVX2, FMA, BMI2" or "NEON"; or ""
    int openmp;             // date of the standard, 201511 for example; 0 without OpenMP
    int n_threads;          // that 0 stands for in opn_ctx_set_threads()
    char chart_js[OPN_MAX_VERSION]; // in the page of a report; "" when there is none
    int n_linked;
    opn_linked linked[OPN_MAX_LINKED];
} opn_build;

// Fills in what is known; needs no context and cannot fail.
OPN_API void opn_build_info(opn_build *out);

#ifdef __cplusplus
}
#endif

#endif // OPINE_BUILD_INFO_H
