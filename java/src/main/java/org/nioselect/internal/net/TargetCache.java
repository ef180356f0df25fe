package org.nioselect.internal.net;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Memory;

/**
 * The native forms of the addresses that datagrams were sent to: Java gives the bytes of an
 * address away only as a copy, which is garbage after each datagram.
 *
 * <p>Belongs to the lane of a channel that sends, whose lock protects it.
 */
public final class TargetCache {
    private final Memory memory = new Memory(AddressForm.SIZE);
    private final AddressTable table = new AddressTable();

    /** Creates a cache of nobody. */
    public TargetCache() {
    }

    /**
     * The native form of an address, until the next one is asked for.
     *
     * @param address an address that was checked
     * @return where it is in memory
     */
    public long form(InetSocketAddress address) {
        write(address);
        return memory.address();
    }

    private void write(InetSocketAddress address) {
        ByteBuffer form = memory.buffer();
        int hash = address.hashCode();
        int place = table.first(hash);
        KnownAddress known = table.at(place);
        while (known != null) {
            if (known.is(address)) {
                known.write(form);
                return;
            }
            place = table.next(place);
            known = table.at(place);
        }
        InetAddresses.write(InetAddresses.target(address.getAddress()), address.getPort(), form, 0);
        table.add(KnownAddress.of(address, hash, form));
    }
}
