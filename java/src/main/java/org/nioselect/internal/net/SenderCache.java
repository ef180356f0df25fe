package org.nioselect.internal.net;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Memory;

/**
 * The senders of received datagrams: the same one is the same object again, as long as there are
 * not too many of them, so that receiving makes no garbage.
 *
 * <p>Belongs to the lane of a channel that receives, whose lock protects it.
 */
public final class SenderCache {
    private final Memory memory = new Memory(AddressForm.SIZE);
    private final AddressTable table = new AddressTable();

    /** Creates a cache of nobody. */
    public SenderCache() {
    }

    /**
     * Where the native form of the sender is received.
     *
     * @return the address of that memory
     */
    public long form() {
        return memory.address();
    }

    /**
     * The sender whose form was received.
     *
     * @return its address
     */
    public InetSocketAddress sender() {
        ByteBuffer form = memory.buffer();
        long head = KnownAddress.head(form);
        long high = KnownAddress.high(form);
        long low = KnownAddress.low(form);
        int hash = hash(head, high, low);
        int place = table.first(hash);
        KnownAddress known = table.at(place);
        while (known != null) {
            if (known.is(head, high, low)) {
                return known.address();
            }
            place = table.next(place);
            known = table.at(place);
        }
        InetSocketAddress address = InetAddresses.read(form, 0);
        table.add(new KnownAddress(address, hash, head, high, low));
        return address;
    }

    private static int hash(long head, long high, long low) {
        return Long.hashCode((31 * head + high) * 31 + low);
    }
}
