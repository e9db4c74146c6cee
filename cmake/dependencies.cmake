# Every dependency is required: a build that silently leaves a part out helps nobody.
# docs/dependencies.md says what each is for; tools/bootstrap installs them.

find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip>=1.7)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(libcrypto REQUIRED IMPORTED_TARGET libcrypto>=1.1)
find_package(ZLIB REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123/philox.h not found: install librandom123-dev")
endif()

if(OPINE_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
endif()
if(OPINE_TESTS)
  pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka>=1.1.5)
endif()
if(OPINE_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "OPINE_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
endif()
