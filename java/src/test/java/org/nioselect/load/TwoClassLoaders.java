package org.nioselect.load;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import org.nioselect.NioselectProvider;

/** Has the provider in two class loaders, as an application server can, and opens a selector. */
final class TwoClassLoaders {
    private TwoClassLoaders() {
    }

    public static void main(String[] args) throws Exception {
        URL location = NioselectProvider.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader parent = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader first = new URLClassLoader(new URL[] {location}, parent);
                URLClassLoader second = new URLClassLoader(new URL[] {location}, parent)) {
            System.out.println(open(first) + OpenTwice.SEPARATOR + open(second));
        }
    }

    private static String open(ClassLoader loader) throws Exception {
        Class<?> type = loader.loadClass(NioselectProvider.class.getName());
        SelectorProvider provider = (SelectorProvider) type.getConstructor().newInstance();
        try (Selector selector = provider.openSelector()) {
            return selector.getClass().getName();
        }
    }
}
