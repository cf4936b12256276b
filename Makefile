# The front door. `make run` and `make test` set the machine up, build, and go.
.PHONY: run install wheel test build asan tsan clang clean

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

# dist/tilescope-*.whl: the Python module, the program without its window, and their libraries.
wheel:
	@.ci/setup python
	@python3 interp/python/build_wheel.py dist

build:
	@.ci/setup run
	@cmake --preset dev -DTILESCOPE_TESTS=OFF -DTILESCOPE_THIS_MACHINE=ON $(configure)
	@test -x build/tilescope || { printf '\nThis builds for some minutes. Meanwhile the first lesson, whose question the program asks again:\n\n'; \
	  sed -n '/^## See why/q; /^<!--/d; /^```/d; p' lessons/01_copy/README.md; }
	@cmake --build build --target tilescope

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

clean:
	@rm -rf build build-*
