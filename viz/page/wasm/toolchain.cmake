# What emscripten lacks of what the build elsewhere finds on the machine: libraries of headers alone, OpenMP's two questions, and, before its libc++ 16, parts of C++20.
if(NOT EMSCRIPTEN)
  message(FATAL_ERROR "TILESCOPE_PAGE builds WebAssembly. Fix: emcmake cmake --preset page (apt install emscripten), or `make page`")
endif()
# What a reader waits for is the download; loops have their own -O3. Without -finline-functions emscripten leaves inlining to
# wasm-opt, which sees less: twice the code, and half the speed.
set(CMAKE_CXX_FLAGS_RELEASE "-Os -finline-functions -DNDEBUG")
set(tilescope_cold -Oz)
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
set(CMAKE_UNITY_BUILD ON)

# The system's own headers are not emscripten's: of /usr/include the page sees these folders.
set(libraries ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${libraries})
foreach(header fmt/format.h nlohmann/json.hpp)
  cmake_path(GET header PARENT_PATH library)
  find_path(${library}_root ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${${library}_root}/${library} ${libraries}/${library} SYMBOLIC)
endforeach()
add_library(fmt::fmt INTERFACE IMPORTED)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
add_library(OpenMP::OpenMP_CXX INTERFACE IMPORTED)

# -fwasm-exceptions: small and fast, in browsers since 2021. SIMD: since 2021 as well; loops run twice as fast.
add_compile_options(-fwasm-exceptions -msimd128 -idirafter ${libraries} -I${CMAKE_CURRENT_LIST_DIR}/include
                    -Wno-unknown-pragmas -Wno-unknown-warning-option -Wno-unused-command-line-argument)
add_compile_options(-include ${CMAKE_CURRENT_LIST_DIR}/missing_cpp20.h)
add_link_options(-fwasm-exceptions)
add_compile_definitions(TILESCOPE_EIGEN=false)
