# Every dependency is required, because a build that silently leaves a part out helps
# nobody; but for the libraries that draw and serve reports, without which the program says
# so, and the one that downloads, which a build may be told to do without.
# docs/dependencies.md says what each is for; tools/bootstrap installs them.

find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip>=1.7)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate>=1.10)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(libutf8proc REQUIRED IMPORTED_TARGET libutf8proc>=2.2)
# Loaded at run time, so that only its headers are needed.
pkg_check_modules(libxml2 REQUIRED libxml-2.0>=2.9.10)
find_package(ZLIB REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123/philox.h not found: install librandom123-dev")
endif()

find_file(OPINE_CHART_JS NAMES chart.umd.min.js chart.umd.js chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
  DOC "Chart.js in one file, for the page of opine report")
if(NOT OPINE_CHART_JS)
  message(STATUS "Chart.js not found: opine report will say that it is missing")
endif()

# Loaded at run time too; only opine explore needs it, which says so where it was missing.
pkg_check_modules(libmicrohttpd libmicrohttpd>=0.9.75)
if(NOT libmicrohttpd_FOUND)
  message(STATUS "libmicrohttpd not found: opine explore will say that it is missing")
endif()

# What downloads also checks much by SHA-256; a build without it, such as a wheel, hashes
# little and has a source of its own for that. Of libcurl, which is loaded at run time, only
# the headers are needed.
if(OPINE_FETCH)
  pkg_check_modules(libcurl REQUIRED libcurl>=7.87)
  pkg_check_modules(libcrypto REQUIRED IMPORTED_TARGET libcrypto>=1.1)
endif()
if(OPINE_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
endif()
if(OPINE_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
if(OPINE_TESTS)
  pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka>=1.1.5)
endif()
if(OPINE_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "OPINE_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
endif()
