// fault.h -- C library calls that fail on demand.
//
// A test defines the calls that should fail, which then replace those of the C library
// for every library of its program, and calls fault_fails() in each. The heap functions
// are defined here, for every test that includes this header.

#ifndef OPN_TEST_FAULT_H
#define OPN_TEST_FAULT_H

#include <stdbool.h>

// The address sanitizer has its own heap.
#if defined(__SANITIZE_ADDRESS__)
#    define HEAP_IS_OURS 0
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define HEAP_IS_OURS 0
#    endif
#endif
#ifndef HEAP_IS_OURS
#    define HEAP_IS_OURS 1
#endif

// Makes the k-th of some calls fail.
typedef struct fault {
    bool is_armed;
    long n_calls;
    long fail_at; // 1-based; 0 never
    int error;    // errno of the failing call; 0: it does part of its work
} fault;

extern fault fault_heap;       // malloc, calloc, realloc
extern char fault_refused[16]; // the last call that failed

// Whether this call should fail; if so, sets errno.
bool fault_fails(fault *f, const char *call);

void fault_arm(fault *f, long fail_at, int error);
void fault_disarm(fault *f);

#endif // OPN_TEST_FAULT_H
