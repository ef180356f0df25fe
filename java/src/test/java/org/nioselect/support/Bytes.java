package org.nioselect.support;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/** Makes, moves and reads back the bytes that tests send through channels. */
public final class Bytes {
    private static final int CHUNK = 64 * 1024;
    private static final int SMALL = 8 * 1024;
    private static final int STEADY_ROUNDS = 5;
    private static final long ROUND_MILLIS = 4;

    private Bytes() {
    }

    /**
     * A buffer that holds a text.
     *
     * @param text the text
     * @return a heap buffer, ready to be written to a channel
     */
    public static ByteBuffer of(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The text between a buffer's start and its position, as after a read from a channel.
     *
     * @param buffer a buffer that was read into
     * @return the text
     */
    public static String text(ByteBuffer buffer) {
        return StandardCharsets.UTF_8.decode(buffer.duplicate().flip()).toString();
    }

    /**
     * Bytes in which no two neighbouring blocks look alike, so that a lost or repeated one shows.
     *
     * @param size how many
     * @return the bytes
     */
    public static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (i * 31 + (i >>> 8) * 17 + (i >>> 16));
        }
        return bytes;
    }

    /**
     * Reads exactly so many bytes from a channel in blocking mode.
     *
     * @param channel where to read
     * @param size how many
     * @return the bytes
     * @throws IOException when reading fails or the channel ends before
     */
    public static byte[] readFully(ReadableByteChannel channel, int size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(size);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("ended after " + buffer.position() + " of " + size);
            }
        }
        return buffer.array();
    }

    /**
     * Reads a text of known length from a channel in blocking mode.
     *
     * @param channel where to read
     * @param size its length in bytes
     * @return the text
     * @throws IOException when reading fails or the channel ends before
     */
    public static String readText(ReadableByteChannel channel, int size) throws IOException {
        return new String(readFully(channel, size), StandardCharsets.UTF_8);
    }

    /**
     * Writes to the near end of a connection until nothing more fits, so that its next write
     * blocks, and the whole of it: fixed buffer sizes keep the system from making room later.
     *
     * @param pair a connection that nothing has been written to
     * @return how many bytes fitted
     * @throws IOException when writing fails
     * @throws InterruptedException if the caller is interrupted
     */
    public static long fill(Connections.Pair pair) throws IOException, InterruptedException {
        pair.near().setOption(StandardSocketOptions.SO_SNDBUF, SMALL);
        pair.far().setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
        return fill(pair.near());
    }

    /**
     * Writes until nothing more fits, so that the next write in blocking mode blocks. The channel
     * is left in blocking mode.
     *
     * @param <C> a channel that has a blocking mode
     * @param channel where to write
     * @return how many bytes fitted
     * @throws IOException when writing fails
     * @throws InterruptedException if the caller is interrupted
     */
    public static <C extends SelectableChannel & WritableByteChannel> long fill(C channel)
            throws IOException, InterruptedException {
        channel.configureBlocking(false);
        long total = 0;
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
        for (int steady = 0; steady < STEADY_ROUNDS; Thread.sleep(ROUND_MILLIS)) {
            int written = channel.write(chunk.clear());
            total += written;
            while (written > 0) {
                written = channel.write(chunk.clear());
                total += written;
                steady = 0;
            }
            steady++;
        }
        channel.configureBlocking(true);
        return total;
    }
}
