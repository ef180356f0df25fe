package org.nioselect.internal.sys;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Which kind of thread is running. */
public final class CurrentThread {
    private static final MethodHandle IS_VIRTUAL = findIsVirtual();

    private CurrentThread() {
    }

    /**
     * Whether the current thread is a virtual one.
     *
     * @return always false before Java 21
     */
    public static boolean isVirtual() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (RuntimeException | Error e) {
            // Such as that the stack is exhausted.
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle findIsVirtual() {
        try {
            MethodType type = MethodType.methodType(boolean.class);
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", type);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
