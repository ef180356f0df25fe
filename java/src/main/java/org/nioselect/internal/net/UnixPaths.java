package org.nioselect.internal.net;

import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.InvalidPathException;
import org.nioselect.internal.sys.AddressForm;

/**
 * UNIX domain addresses in the form of {@link AddressForm}.
 */
final class UnixPaths {
    /** As many bytes as the JDK allows, which leaves one for the final zero and one to spare. */
    private static final int LONGEST = 106;

    /** What file names are encoded in, which {@code file.encoding} does not tell. */
    private static final Charset CHARSET =
            Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** Also stands for names that Java cannot express. */
    private static final UnixDomainSocketAddress UNNAMED = UnixDomainSocketAddress.of("");

    private UnixPaths() {
    }

    static void write(UnixDomainSocketAddress address, ByteBuffer buffer, int offset)
            throws SocketException {
        byte[] path = address.getPath().toString().getBytes(CHARSET);
        if (path.length > LONGEST) {
            throw new SocketException("Unix domain path too long");
        }
        buffer.putInt(offset + AddressForm.FAMILY, AddressForm.UNIX);
        buffer.putInt(offset + AddressForm.PORT, 0);
        buffer.putInt(offset + AddressForm.SCOPE, 0);
        buffer.putInt(offset + AddressForm.LENGTH, path.length);
        buffer.put(offset + AddressForm.BYTES, path);
    }

    static UnixDomainSocketAddress read(ByteBuffer buffer, int offset) {
        byte[] path = new byte[buffer.getInt(offset + AddressForm.LENGTH)];
        buffer.get(offset + AddressForm.BYTES, path);
        if (isAbstract(path)) {
            return UNNAMED;
        }
        try {
            return UnixDomainSocketAddress.of(new String(path, CHARSET));
        } catch (InvalidPathException e) {
            // Another process may name its socket in bytes that are no text here.
            return UNNAMED;
        }
    }

    /** A name that Linux keeps outside the file system, for which Java has no address. */
    private static boolean isAbstract(byte[] path) {
        return path.length > 0 && path[0] == 0;
    }
}
