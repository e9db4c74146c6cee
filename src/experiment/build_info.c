// build_info.c -- how the library was built and what it runs on. Compiler facts come from
// its macros, so that a build is the same on every machine.

#include "opine/build_info.h"

#include "math/kernels.h"
#include "report/page.h"

#include <jansson.h>
#include <libdeflate.h>
#include <libxml/xmlversion.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>
#include <zip.h>
#include <zlib.h>
#ifdef _OPENMP
#    include <omp.h>
#endif
#ifdef OPN_FETCH
#    include <curl/curlver.h>
#endif

#define TEXT_OF(number)  #number
#define NUMBERS(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

static const char *compiler_text(void)
{
#if defined(__clang__)
    return "clang " NUMBERS(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    return "gcc " NUMBERS(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
    return "unknown";
#endif
}

static const char *cpu_text(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    static const char *const texts[] = {"",          "AVX2",           "FMA",
                                        "AVX2, FMA", "BMI2",           "AVX2, BMI2",
                                        "FMA, BMI2", "AVX2, FMA, BMI2"};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return "AVX-512, AVX2, FMA, BMI2";
    return texts[(__builtin_cpu_supports("avx2") ? 1 : 0) +
                 (__builtin_cpu_supports("fma") ? 2 : 0) +
                 (__builtin_cpu_supports("bmi2") ? 4 : 0)];
#elif defined(__aarch64__)
    return "NEON"; // part of every such CPU
#else
    return "";
#endif
}

// ---- libraries -----------------------------------------------------------------------

#ifdef OPN_LIBCRYPTO
#    include <openssl/crypto.h>

static const char *libcrypto_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION); // "OpenSSL 3.0.15 3 Sep 2024"
}
#endif

// At build time, as is the next: asking the library would load it.
static const char *libxml2_version(void)
{
    return LIBXML_DOTTED_VERSION;
}

#ifdef OPN_FETCH
static const char *libcurl_version(void)
{
    return LIBCURL_VERSION;
}
#endif

// At build time: the library does not tell at run time.
static const char *libdeflate_version(void)
{
    return LIBDEFLATE_VERSION_STRING;
}

static const struct {
    const char *name;
    const char *(*version)(void); // at run time, may be newer than at build time
} libraries[] = {
#ifdef OPN_FETCH
        {"libcurl", libcurl_version},
#endif
        {"libzip", zip_libzip_version},
        {"libdeflate", libdeflate_version},
        {"zlib", zlibVersion},
        {"jansson", jansson_version_str},
        {"utf8proc", utf8proc_version},
        {"libxml2", libxml2_version},
#ifdef OPN_LIBCRYPTO
        {"libcrypto", libcrypto_version},
#endif
};

enum { N_LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };
_Static_assert(N_LIBRARIES <= (int)OPN_MAX_LINKED,
               "opn_build has room for all libraries");

// Copies the first dotted number in a longer text, "3.9.1".
static void copy_version(const char *text, size_t n_text, char out[OPN_MAX_VERSION])
{
    size_t at = 0;
    size_t n = 0;
    while (at < n_text && (text[at] < '0' || text[at] > '9'))
        at++;
    while (at + n < n_text && n < OPN_MAX_VERSION - 1 && text[at + n] > ' ')
        n++;
    memcpy(out, text + at, n);
    out[n] = 0;
}

// Chart.js starts with its licence, which names its version.
static void copy_chart_version(char out[OPN_MAX_VERSION])
{
    enum { LICENCE_CHARS = 64 };
    for (int p = 0; p < opn_i_n_page_parts; p++)
        if (strcmp(opn_i_page_parts[p].name, "LIBRARY") == 0 &&
            opn_i_page_parts[p].n > LICENCE_CHARS)
            copy_version((const char *)opn_i_page_parts[p].bytes, LICENCE_CHARS, out);
}

void opn_build_info(opn_build *out)
{
    if (out == NULL)
        return;
    *out = (opn_build){
            .version = OPN_VERSION_TEXT,
            .compiler = compiler_text(),
            .build_type = OPN_BUILD_TYPE,
            .precision = sizeof(opn_real) == sizeof(float) ? "float" : "double",
            .kernels = opn_k_select()->name,
            .cpu = cpu_text(),
            .n_threads = 1,
            .n_linked = N_LIBRARIES,
    };
#ifdef _OPENMP
    out->openmp = _OPENMP;
    out->n_threads = omp_get_num_procs();
#endif
    copy_chart_version(out->chart_js);
    for (int l = 0; l < N_LIBRARIES; l++) {
        const char *version = libraries[l].version();
        out->linked[l].name = libraries[l].name;
        copy_version(version, strlen(version), out->linked[l].version);
    }
}
