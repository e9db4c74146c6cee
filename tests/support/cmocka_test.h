// cmocka_test.h -- cmocka with the headers that it requires first.

#ifndef OPN_CMOCKA_TEST_H
#define OPN_CMOCKA_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#endif // OPN_CMOCKA_TEST_H
