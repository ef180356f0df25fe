# `make demo` shows what the selector is for; `make test` runs every test.

CARGO ?= cargo
BENCH = $(CARGO) run --quiet --locked --release --package nioselect-bench --

.PHONY: help demo test soak bench

help:
	@echo 'make demo    2000 TCP connections, one selector, 10000 selectNow, on every backend'
	@echo 'make test    every test'
	@echo 'make soak    every test 50 times, beside two busy loops'
	@echo 'make bench   side by side with raw epoll, mio and polling; then the criterion benchmarks'

demo: need-cargo
	$(BENCH) harmony

test: need-cargo
	$(CARGO) test --locked --workspace

soak: need-cargo
	$(CARGO) test --locked --workspace --no-run
	./tests/soak.sh 50

bench: need-cargo
	$(BENCH) compare
	$(BENCH) scaling
	$(CARGO) bench --locked --package nioselect-bench

.PHONY: need-cargo
need-cargo:
	@command -v $(CARGO) >/dev/null || { \
		echo 'Rust is missing: this needs cargo 1.88 or later.'; \
		echo 'Get it from https://rustup.rs or from your system (apt install cargo, brew install rust).'; \
		exit 1; }
