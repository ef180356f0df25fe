package org.nioselect.internal.sys;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A piece of memory that native code can reach, whose address is asked for only once.
 */
public final class Memory {
    static {
        NativeLibrary.load();
    }

    private final ByteBuffer buffer;
    private final long address;

    /**
     * Allocates memory, filled with zeros. It lives as long as this object.
     *
     * @param size its size in bytes
     */
    public Memory(int size) {
        buffer = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        address = addressOfOwn(buffer);
        if (address == 0) {
            throw new InternalError("this JVM does not tell the address of a direct buffer");
        }
    }

    /**
     * The memory as a buffer in native byte order, always the same one: position and limit belong
     * to whoever uses the memory.
     *
     * @return the buffer
     */
    public ByteBuffer buffer() {
        return buffer;
    }

    /**
     * Where the memory starts.
     *
     * @return its address
     */
    public long address() {
        return address;
    }

    /**
     * Its size.
     *
     * @return the number of bytes
     */
    public int size() {
        return buffer.capacity();
    }

    /**
     * Where the bytes of a direct buffer start.
     *
     * <p>A buffer over a memory segment has no answer: its arena may be closed by another thread
     * while native code uses the memory, and a third party cannot prevent that. Its bytes have to
     * be copied by way of the buffer, which checks.
     *
     * @param buffer a direct buffer
     * @return the address of its byte at index 0, or 0 for a buffer over a memory segment
     */
    public static native long addressOf(ByteBuffer buffer);

    /** As JNI tells it, which takes longer but works on every JVM. */
    private static native long addressOfOwn(ByteBuffer buffer);
}
