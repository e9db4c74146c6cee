# What `make install` puts into a prefix: the command, its man page and completions, both
# libraries, the public headers, and the files by which pkg-config and CMake find them. All of
# it may be moved afterwards.

include(CMakePackageConfigHelpers)
set(opine_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/opine)

install(TARGETS opine RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(OPINE_MPI)
  install(TARGETS opine_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/opine
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What the command prints about itself when it is built; not there in a cross build.
install(FILES ${CMAKE_BINARY_DIR}/opine.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/opine.bash RENAME opine
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/_opine
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)

# One export for each kind, because only the static one needs our own dependencies found.
foreach(kind shared static)
  install(TARGETS opine_${kind} EXPORT opine_${kind}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT opine_${kind} NAMESPACE opine:: FILE opine_${kind}.cmake
          DESTINATION ${opine_cmake_dir})
endforeach()

set(opine_pc_libcrypto "")
if(OPINE_FETCH)
  set(opine_pc_libcrypto libcrypto)
endif()
configure_package_config_file(cmake/opineConfig.cmake.in opineConfig.cmake
  INSTALL_DESTINATION ${opine_cmake_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# The same promise as the soname's, in cmake/library.cmake.
set(opine_compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(opine_compatibility SameMinorVersion)
endif()
write_basic_package_version_file(opineConfigVersion.cmake COMPATIBILITY ${opine_compatibility})
install(FILES ${CMAKE_BINARY_DIR}/opineConfig.cmake ${CMAKE_BINARY_DIR}/opineConfigVersion.cmake
        DESTINATION ${opine_cmake_dir})

# The prefix is known only when `cmake --install --prefix` runs, so opine.pc finds it from
# where it lies itself.
file(RELATIVE_PATH opine_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" opine_pc_prefix ${opine_pc_prefix})
set(opine_pc_libs_private "-lm ${CMAKE_THREAD_LIBS_INIT} ${OpenMP_C_FLAGS}")
foreach(library ${CMAKE_DL_LIBS})
  string(PREPEND opine_pc_libs_private "-l${library} ")
endforeach()
configure_file(cmake/opine.pc.in opine.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/opine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
