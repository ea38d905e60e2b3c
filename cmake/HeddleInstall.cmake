# What is installed, and the same tree inside the build folder: bin/, lib/heddle/, include/, the CMake package.
#
# Everything finds everything else relative to its own place, so a tree can be moved, and a build folder used as a
# prefix: find_package(heddle) with heddle_ROOT=build/.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The command looks for ../lib/heddle beside bin/, so that folder's name does not follow the machine's habits.
set(HEDDLE_INSTALL_RUNTIME_DIR lib/heddle)
set(HEDDLE_INSTALL_PACKAGE_DIR lib/cmake/heddle)

# The wrappers as one word are the command itself, which looks at the name it was called by.
set(heddle_links)
foreach(wrapper heddle-cc heddle-c++)
  set(link ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${wrapper})
  add_custom_command(OUTPUT ${link} COMMAND ${CMAKE_COMMAND} -E create_symlink heddle ${link} VERBATIM)
  list(APPEND heddle_links ${link})
  install(CODE "
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
    file(CREATE_LINK heddle \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/${wrapper}\" SYMBOLIC)")
endforeach()
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)

# What ./heddle builds before it runs: the command and what it links into programs, no tests.
add_custom_target(heddle_product ALL DEPENDS ${heddle_links})
add_dependencies(heddle_product heddle heddle_engine heddle_hooks)

install(TARGETS heddle RUNTIME DESTINATION bin)
install(TARGETS heddle_engine LIBRARY DESTINATION ${HEDDLE_INSTALL_RUNTIME_DIR})
install(TARGETS heddle_hooks ARCHIVE DESTINATION ${HEDDLE_INSTALL_RUNTIME_DIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/heddle DESTINATION include FILES_MATCHING PATTERN "*.h")

set(package ${CMAKE_BINARY_DIR}/${HEDDLE_INSTALL_PACKAGE_DIR})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/heddleConfig.cmake.in ${package}/heddleConfig.cmake
                              INSTALL_DESTINATION ${HEDDLE_INSTALL_PACKAGE_DIR} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${package}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_SOURCE_DIR}/cmake/HeddleFunctions.cmake ${package}/HeddleFunctions.cmake COPYONLY)
install(DIRECTORY ${package}/ DESTINATION ${HEDDLE_INSTALL_PACKAGE_DIR})

configure_file(${CMAKE_SOURCE_DIR}/docs/man/heddle.1.in ${CMAKE_BINARY_DIR}/share/man/man1/heddle.1 @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/heddle.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
