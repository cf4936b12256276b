# The front door. `make run` and `make test` set the machine up, build, and go.
.PHONY: run install wheel test build asan tsan clang page page-test clean

PREFIX ?= $(HOME)/.local

# Files of commands, lessons and the window include large libraries and little else: compiled several at once they take a third of the time.
configure := --log-level=WARNING -DCMAKE_UNITY_BUILD=ON

run: build
	@printf 'The program is build/tilescope: `build/tilescope run softmax`. `make install` makes it `tilescope`, in $(PREFIX)/bin.\n\n'
	@build/tilescope learn

# Binary, headers, manual page, completions for bash and zsh.
install: build
	@cmake --install build --prefix "$(PREFIX)"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) \
	  printf '\n$(PREFIX)/bin is not in your PATH: export PATH="$(PREFIX)/bin:$$PATH"\n' ;; esac

# dist/tilescope-*.whl: the Python module, the program without its window, and their libraries; the browser's page, where emscripten and npm are.
wheel:
	@.ci/setup python
	@if command -v emcmake >/dev/null && command -v npm >/dev/null; then $(MAKE) page; fi
	@python3 interp/python/build_wheel.py dist

build:
	@.ci/setup run
	@cmake --preset dev -DTILESCOPE_TESTS=OFF -DTILESCOPE_THIS_MACHINE=ON $(configure)
	@test -x build/tilescope || { printf '\nThis builds for some minutes. Meanwhile the first lesson, whose question the program asks again:\n\n'; \
	  sed -n '/^## See why/q; /^<!--/d; /^```/d; p' lessons/01_copy/README.md; }
	@cmake --build build --target tilescope

# Tests run beside each other: threads that wait in a loop would take the cores from other tests.
test asan tsan clang: export OMP_WAIT_POLICY := passive

test:
	@.ci/setup test
	@cmake --preset dev -DTILESCOPE_TESTS=ON -DTILESCOPE_THIS_MACHINE=OFF $(configure)
	@cmake --build build
	@ctest --test-dir build --output-on-failure --parallel $$(nproc)

# The same suite under sanitizers, and with the other compiler. ThreadSanitizer sees into our code, not into LLVM's OpenMP;
# CUDA wants the gap in AddressSanitizer's shadow, and its leaks are not ours.
asan: export LSAN_OPTIONS := suppressions=$(CURDIR)/tests/leaks.supp
asan: export ASAN_OPTIONS := protect_shadow_gap=0
tsan: export TSAN_OPTIONS := ignore_noninstrumented_modules=1
asan tsan clang:
	@.ci/setup clang
	@cmake --preset $@ $(configure)
	@cmake --build build-$@
	@ctest --test-dir build-$@ --output-on-failure

# tilescope in a browser: build/page/dist for a static host, build/page/tilescope.html to open from a disk.
page:
	@command -v emcmake >/dev/null || { printf 'make page needs emscripten, which compiles for browsers. Fix: apt install emscripten\n'; exit 1; }
	@command -v npm >/dev/null || { printf 'make page needs npm for the editor. Fix: apt install nodejs npm\n'; exit 1; }
	@emcmake cmake --preset page
	@cmake --build build/page --target tilescope_wasm
	@npm ci --prefix viz/page --no-audit --no-fund
	@node viz/page/build.mjs build/page build/page/dist

# The same questions to the WebAssembly and to the native program, and a reader's way through the page in Chromium and in Firefox.
page-test: page
	@cmake --preset dev -DTILESCOPE_TESTS=ON $(configure)
	@cmake --build build --target tilescope_page_calls tilescope
	@node tests/page/equal.mjs build/tilescope_page_calls build/page
	@node tests/page/browser.mjs build/page chromium
	@node tests/page/browser.mjs build/page firefox

clean:
	@rm -rf build build-*
