# Flags shared by the library, the command and the tests, as one interface target.

add_library(opine_flags INTERFACE)
target_compile_options(opine_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion
  -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings
  -Wundef -Wformat=2 -Wvla -Wswitch-enum
  # Contraction would let a compiler choose which products are fused, and so the bits.
  -ffp-contract=off)
target_compile_definitions(opine_flags INTERFACE _POSIX_C_SOURCE=200809L)
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
