package org.nioselect.support;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A thread whose state a test can await and whose outcome it collects.
 *
 * @param <T> what the thread computes
 */
public final class Task<T> {
    private static final int STEADY_SAMPLES = 3;
    private static final long SAMPLE_MILLIS = 5;

    private final FutureTask<T> outcome;
    private final Thread thread;

    Task(Callable<T> body, ThreadFactory factory) {
        outcome = new FutureTask<>(body);
        thread = factory.newThread(outcome);
    }

    /**
     * The thread itself.
     *
     * @return the thread
     */
    public Thread thread() {
        return thread;
    }

    /**
     * Whether the body has returned or thrown.
     *
     * @return true if so
     */
    public boolean done() {
        return outcome.isDone();
    }

    /** Interrupts the thread. */
    public void interrupt() {
        thread.interrupt();
    }

    /**
     * Waits until the thread blocks inside a method: in native code or parked, and for several
     * samples in a row, as a thread that passes through native code looks the same at a glance.
     *
     * @param method the name of a method on its stack, such as {@code select}
     * @return this task
     * @throws Exception when the thread never blocks there, or has failed instead
     */
    public Task<T> awaitBlockedIn(String method) throws Exception {
        Deadline deadline = Deadline.patient();
        for (int steady = 0; steady < STEADY_SAMPLES; Thread.sleep(SAMPLE_MILLIS)) {
            steady = blockedIn(method) ? steady + 1 : 0;
            failUnlessRunning(method, deadline);
        }
        return this;
    }

    /**
     * Waits until the thread is in a state, such as {@link Thread.State#BLOCKED} for a monitor.
     *
     * @param state the state to wait for
     * @return this task
     * @throws Exception when the thread never gets there, or has failed instead
     */
    public Task<T> awaitState(Thread.State state) throws Exception {
        Deadline deadline = Deadline.patient();
        while (thread.getState() != state) {
            failUnlessRunning(state.name(), deadline);
            Thread.sleep(1);
        }
        return this;
    }

    /**
     * Waits for the outcome.
     *
     * @return what the body returned
     * @throws Exception what the body threw
     */
    public T join() throws Exception {
        try {
            return outcome.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } catch (TimeoutException e) {
            AssertionError hung = new AssertionError("the thread hangs", e);
            hung.setStackTrace(thread.getStackTrace());
            throw hung;
        }
    }

    private boolean blockedIn(String method) {
        Thread.State state = thread.getState();
        StackTraceElement[] stack = thread.getStackTrace();
        boolean still = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING
                || stack.length > 0 && stack[0].isNativeMethod();
        for (StackTraceElement frame : stack) {
            if (still && frame.getMethodName().equals(method)) {
                return true;
            }
        }
        return false;
    }

    private void failUnlessRunning(String where, Deadline deadline) throws Exception {
        if (done()) {
            throw new AssertionError("not blocked (" + where + ") but ended with: " + join());
        }
        if (deadline.passed()) {
            AssertionError never = new AssertionError("never blocked (" + where + ")");
            never.setStackTrace(thread.getStackTrace());
            throw never;
        }
    }

    private static Exception unwrapped(ExecutionException wrapper) {
        if (wrapper.getCause() instanceof Error error) {
            throw error;
        }
        return (Exception) wrapper.getCause();
    }
}
