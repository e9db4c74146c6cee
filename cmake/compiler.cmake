# Flags shared by the library, the command and the tests, as one interface target.

add_library(opine_flags INTERFACE)
target_compile_options(opine_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion
  -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings
  -Wundef -Wformat=2 -Wvla -Wswitch-enum
  # Our constants are enumerators; clang 19 would have each cast where it meets a double.
  -Wno-enum-float-conversion
  # Contraction would let a compiler choose which products are fused, and so the bits.
  -ffp-contract=off)

# gcc 14.2 as Debian 13 has it exchanges the two numbers of (m >> s & 1) == 0 ? 4 : s. The
# compiler is asked, not its version: a repaired one loses nothing. Where nothing can run what
# it compiles, it is not asked.
include(CheckCSourceRuns)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(OPINE_CHOOSES_BY_BIT ON)
endif()
set(CMAKE_REQUIRED_FLAGS -O2)
check_c_source_runs("
  __attribute__((noinline)) static int pick(const volatile unsigned *m, int s)
  {
      if ((*m >> s & 1u) == 0)
          s = 4;
      return s;
  }
  int main(void)
  {
      volatile unsigned m = 19;
      return pick(&m, 0) == 0 && pick(&m, 2) == 4 ? 0 : 1;
  }" OPINE_CHOOSES_BY_BIT)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT OPINE_CHOOSES_BY_BIT)
  message(NOTICE "This compiler confuses choices by a bit; building with -fno-if-conversion")
  target_compile_options(opine_flags INTERFACE -fno-if-conversion)
endif()

# gcc 12.2 for ARM, as Debian 12 has it, crashes over the largest of some floats, as doubles,
# unless fmax() is a function as any other. It is asked too.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -O3)
set(CMAKE_REQUIRED_LIBRARIES m)
check_c_source_compiles("
  double fmax(double, double);
  double top_of(const float *x, long n)
  {
      double top = 0.0;
      for (long e = 0; e < n; e++)
          top = fmax(top, (double)x[e]);
      return top;
  }
  int main(void) { return 0; }" OPINE_VECTORISES_FMAX)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT OPINE_VECTORISES_FMAX)
  message(NOTICE "This compiler crashes over fmax(); building with -fno-builtin-fmax")
  target_compile_options(opine_flags INTERFACE -fno-builtin-fmax -fno-builtin-fmin)
endif()

# ---- where systems differ; docs/porting.md lists all of it

# Beside POSIX, macOS shows flock() only with the second; nobody else looks at it.
target_compile_definitions(opine_flags INTERFACE _POSIX_C_SOURCE=200809L _DARWIN_C_SOURCE)

include(CheckIncludeFile)
include(CheckStructHasMember)
include(CheckSymbolExists)
set(CMAKE_REQUIRED_DEFINITIONS -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE)
check_include_file(xlocale.h OPN_HAS_XLOCALE_H) # newlocale() of BSD and macOS
check_symbol_exists(fdatasync unistd.h OPN_HAS_FDATASYNC)
check_struct_has_member("struct stat" st_mtim sys/stat.h OPN_HAS_ST_MTIM)
unset(CMAKE_REQUIRED_DEFINITIONS)
foreach(has XLOCALE_H FDATASYNC ST_MTIM)
  if(OPN_HAS_${has})
    target_compile_definitions(opine_flags INTERFACE OPN_HAS_${has})
  endif()
endforeach()

if(OPINE_WERROR)
  target_compile_options(opine_flags INTERFACE -Werror)
endif()
if(OPINE_DOUBLE)
  target_compile_definitions(opine_flags INTERFACE OPN_REAL_DOUBLE)
endif()
if(OPINE_SANITIZE)
  target_compile_options(opine_flags INTERFACE
    -fsanitize=${OPINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(opine_flags INTERFACE -fsanitize=${OPINE_SANITIZE})
endif()
if(OPINE_FUZZ)
  target_compile_options(opine_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# gcov derives half of the counts from the other half, so that none may be lost between threads.
if(OPINE_COVERAGE)
  target_compile_options(opine_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(opine_flags INTERFACE --coverage)
endif()

# ---- what makes a bug harder to exploit; tools/hardening looks for it in the finished files

# A sanitizer finds more by itself, and its trees are for tests.
if(NOT OPINE_SANITIZE)
  include(CheckCCompilerFlag)
  include(CheckCSourceCompiles)
  include(CheckLinkerFlag)
  include(CheckPIESupported)

  check_pie_supported(LANGUAGES C)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)

  check_c_compiler_flag(-fstack-protector-strong OPINE_HAS_STACK_PROTECTOR)
  if(OPINE_HAS_STACK_PROTECTOR)
    target_compile_options(opine_flags INTERFACE -fstack-protector-strong)
  endif()

  check_linker_flag(C -Wl,-z,relro,-z,now OPINE_HAS_RELRO)
  if(OPINE_HAS_RELRO)
    target_link_options(opine_flags INTERFACE -Wl,-z,relro,-z,now)
  endif()

  # Who packages opine may ask for another level, and some compilers have one by default.
  # Without optimisation glibc only warns that nothing is checked.
  set(CMAKE_REQUIRED_FLAGS -O2)
  check_c_source_compiles("
    #ifdef _FORTIFY_SOURCE
    #error a level is set
    #endif
    int main(void) { return 0; }" OPINE_SETS_FORTIFY)
  unset(CMAKE_REQUIRED_FLAGS)
  if(OPINE_SETS_FORTIFY)
    target_compile_definitions(opine_flags INTERFACE
      $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:_FORTIFY_SOURCE=2>)
  endif()
endif()
