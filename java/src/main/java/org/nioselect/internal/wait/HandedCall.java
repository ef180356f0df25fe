package org.nioselect.internal.wait;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * A call that one thread makes for another, which waits until it has been made. Nothing ends the
 * waiting before: the call may use what belongs to the one who waits.
 */
final class HandedCall implements Runnable {
    private final Thread waiting = Thread.currentThread();
    private final BlockingCall call;
    private int answer;
    private Throwable failure;
    private volatile boolean made;

    HandedCall(BlockingCall call) {
        this.call = call;
    }

    @Override
    public void run() {
        try {
            answer = call.make();
        } catch (Throwable e) {
            failure = e;
        } finally {
            made = true;
            LockSupport.unpark(waiting);
        }
    }

    int await() throws IOException {
        boolean interrupted = false;
        while (!made) {
            LockSupport.park(this);
            // Or it would not park any more.
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            waiting.interrupt();
        }
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        return answer;
    }
}
