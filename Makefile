# `make demo` shows what the selector is for; `make test` runs every test of both languages.

CARGO ?= cargo
MVN ?= mvn
MAVEN = $(MVN) --batch-mode --quiet --no-transfer-progress
# The tests run on a second, newer JDK too, if there is one: make test JDK25=/path/to/it
JDK25 ?= $(patsubst %/bin/java,%,$(firstword $(wildcard /usr/lib/jvm/*25*/bin/java)))

BENCH = $(CARGO) run --quiet --locked --release --package nioselect-bench --
JMH = java -jar benches/java/target/nioselect-bench-0.1.0.jar

.PHONY: help demo test test-rust test-java soak bench bench-java jars

help:
	@echo 'make demo        2000 TCP connections, one selector, 10000 selectNow: Rust and JVMs, every backend'
	@echo 'make test        every test, of Rust (make test-rust) and of the provider for the JVM (make test-java)'
	@echo 'make jars        java/target/nioselect-0.1.0.jar, and the benchmarks for the JVM'
	@echo 'make soak        every Rust test 50 times, beside two busy loops'
	@echo 'make bench       side by side with raw epoll, mio and polling; the doorbell; then the criterion benchmarks'
	@echo 'make bench-java  side by side with the provider of the JDK'

demo: jars
	$(BENCH) harmony --jvm $(if $(JDK25),--java $(JDK25))

test: test-rust test-java

test-rust: need-cargo
	$(CARGO) test --locked --workspace
	NIOSELECT_DOORBELL=eager $(CARGO) test --locked --package nioselect --tests

test-java: need-cargo need-maven
	$(MAVEN) --file java/pom.xml verify $(if $(JDK25),-Dnioselect.jdk25=$(JDK25))
	$(MAVEN) --file benches/java/pom.xml package
	$(CARGO) test --locked --package nioselect-bench --test cli -- --ignored

jars: need-cargo need-maven
	$(MAVEN) --file java/pom.xml package -DskipTests
	$(MAVEN) --file benches/java/pom.xml package

soak: need-cargo
	$(CARGO) test --locked --workspace --no-run
	./tests/soak.sh 50

bench: need-cargo
	$(BENCH) compare
	$(BENCH) scaling
# Not every system has one.
	-$(BENCH) doorbell
	$(CARGO) bench --locked --package nioselect-bench

bench-java: jars
	$(JMH)

.PHONY: need-cargo need-maven
need-cargo:
	@command -v $(CARGO) >/dev/null || { \
		echo 'Rust is missing: this needs cargo 1.88 or later.'; \
		echo 'Get it from https://rustup.rs or from your system (apt install cargo, brew install rust).'; \
		exit 1; }

need-maven:
	@command -v javac >/dev/null || { \
		echo 'A JDK is missing: this needs javac 17 or later.'; \
		echo 'Get it from https://adoptium.net or from your system (apt install openjdk-17-jdk).'; \
		exit 1; }
	@command -v $(MVN) >/dev/null || { \
		echo 'Maven is missing: this needs mvn 3.8 or later.'; \
		echo 'Get it from https://maven.apache.org or from your system (apt install maven).'; \
		exit 1; }
