package org.nioselect.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Java side of {@code nioselect-bench harmony}: {@code selectNow} over many silent TCP
 * connections, with the provider of this JVM.
 *
 * <p>When it is warm, it prints {@code provider CLASS VERSION}, so that its caller knows what it
 * measures. For each line that it reads it does a round and prints
 * {@code round CONNECT_MS REGISTER_MS SELECT_NOW_NS}. Both lines go on with what the selector says
 * of its doorbell, if it does: {@code doorbell STATE: ANSWERED answered, RUNG rung}. It ends with
 * its input.
 */
public final class HarmonyMain {
    /** Enough for the compiler, and little to do for a provider that looks at each channel. */
    private static final int WARM_CHANNELS = 100;
    private static final int WARM_ITERATIONS = 20_000;
    private static final int WARM_ROUNDS = 5;

    /** In what a selector's {@code toString} says, the last of it. */
    private static final Pattern DOORBELL = Pattern.compile("doorbell .*(?=]$)");

    private final int channels;
    private final int iterations;

    private HarmonyMain(int channels, int iterations) {
        this.channels = channels;
        this.iterations = iterations;
    }

    /**
     * Runs it.
     *
     * @param arguments how many channels and how many calls in each round
     * @throws IOException if a channel or selector fails
     */
    public static void main(String[] arguments) throws IOException {
        int channels = Integer.parseInt(arguments[0]);
        int iterations = Integer.parseInt(arguments[1]);
        Round warm = warmUp(Math.min(channels, WARM_CHANNELS));
        String provider = SelectorProvider.provider().getClass().getName();
        System.out.println("provider " + provider + " " + System.getProperty("java.version")
                + warm.doorbell());
        new HarmonyMain(channels, iterations).answer();
    }

    /** Does rounds until it is warm, and has the last. */
    private static Round warmUp(int channels) throws IOException {
        HarmonyMain small = new HarmonyMain(channels, WARM_ITERATIONS);
        for (int i = 1; i < WARM_ROUNDS; i++) {
            small.round();
        }
        return small.round();
    }

    private void answer() throws IOException {
        BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (commands.readLine() != null) {
            System.out.println(round());
        }
    }

    private Round round() throws IOException {
        try (Connections connections = Connections.open(channels);
                Selector selector = Selector.open()) {
            final long start = System.nanoTime();
            for (SocketChannel channel : connections.accepted()) {
                channel.register(selector, SelectionKey.OP_READ);
            }
            long selected = selector.selectNow();
            final long registered = System.nanoTime();
            selected += selectNow(selector);
            final long iterated = System.nanoTime();
            if (selected != 0) {
                throw new IllegalStateException("selected a channel on which nobody sends");
            }
            double connectMillis = connections.tookNanos() / 1e6;
            double registerMillis = (registered - start) / 1e6;
            double selectNowNanos = (double) (iterated - registered) / iterations;
            return new Round(connectMillis, registerMillis, selectNowNanos, doorbell(selector));
        }
    }

    private static String doorbell(Selector selector) {
        Matcher doorbell = DOORBELL.matcher(selector.toString());
        return doorbell.find() ? " " + doorbell.group() : "";
    }

    /** What a round took; the doorbell begins with a blank, or is empty. */
    private record Round(
            double connectMillis, double registerMillis, double selectNowNanos, String doorbell) {
        @Override
        public String toString() {
            return "round " + connectMillis + " " + registerMillis + " " + selectNowNanos
                    + doorbell;
        }
    }

    private long selectNow(Selector selector) throws IOException {
        long selected = 0;
        for (int i = 0; i < iterations; i++) {
            selected += selector.selectNow();
        }
        return selected;
    }
}
