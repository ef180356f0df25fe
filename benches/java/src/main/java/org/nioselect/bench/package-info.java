/**
 * Java's selectors side by side, in JVMs that differ only in their provider.
 *
 * <p>{@code nioselect-bench harmony --jvm} runs {@link org.nioselect.bench.HarmonyMain}. For the
 * JMH benchmarks, build the provider's jar and this one, then run
 * {@code java -jar benches/java/target/nioselect-bench-VERSION.jar}: {@code --help} says more.
 */
package org.nioselect.bench;
