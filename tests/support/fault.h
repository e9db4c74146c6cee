// fault.h -- calls of the C library that fail on demand.
//
// A test defines the calls it wants to fail, which then stand before those of the C
// library for every library of its program, and asks fault_fails() in each. Those of the
// heap are defined here, and are there for every test that uses this header.

#ifndef OPN_TEST_FAULT_H
#define OPN_TEST_FAULT_H

#include <stdbool.h>

// Under the address sanitizer the heap is its own.
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

// What happens to the k-th of some calls.
typedef struct fault {
    bool is_armed;
    long n_calls;
    long fail_at; // 1-based; 0 never
    int error;    // errno of the call that fails; 0: it does part of its work
} fault;

extern fault fault_heap;       // malloc, calloc, realloc
extern char fault_refused[16]; // the call that failed last

// Whether this call is the one; then errno is set.
bool fault_fails(fault *f, const char *call);

void fault_arm(fault *f, long fail_at, int error);
void fault_disarm(fault *f);

#endif // OPN_TEST_FAULT_H
