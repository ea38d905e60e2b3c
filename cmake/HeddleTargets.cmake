# heddle_library(NAME SOURCES … [DEPENDS …]) and heddle_unit_tests(NAME SOURCES … [DEPENDS …]):
# one target per folder, so that a broken layering is a link error.

function(heddle_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
endfunction()

# For what runs at every event. What is cleared or copied there is a few words: a call or a string instruction for
# it costs more than it does. Words that were just written one by one are not read together, as a vector: that
# would wait until all of them are in the cache.
function(heddle_few_words target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns
    -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
    -mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign -fno-tree-slp-vectorize>)
endfunction()

function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  target_include_directories(heddle_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(heddle_${name} PUBLIC ${ARG_DEPENDS})
  # Most of these libraries also live inside libheddle_engine.so, whose symbols must not meet the program's.
  set_target_properties(heddle_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  heddle_few_words(heddle_${name})
  heddle_warnings(heddle_${name})
endfunction()

function(heddle_unit_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(heddle_${name}_test ${ARG_SOURCES})
  target_link_libraries(heddle_${name}_test PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  set_target_properties(heddle_${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-bin)
  heddle_warnings(heddle_${name}_test)
  add_test(NAME unit.${name} COMMAND heddle_${name}_test)
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)
  endif()
  add_dependencies(unit_tests heddle_${name}_test)
endfunction()

# A header that a target may include: `macro` is a hash of the files.
function(heddle_source_hash target header macro)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/${header})
  add_custom_command(OUTPUT ${output}.checked BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DMACRO=${macro} "-DFILES=${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/SourceHash.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/SourceHash.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output}.checked)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
