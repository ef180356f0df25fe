package org.nioselect.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** CONTRACT.md keeps its word: each item has tests, or a reason to have none, and they exist. */
class ContractDocumentTest {
    private static final List<String> PACKAGES =
            List.of("org.nioselect.", "org.nioselect.contract.");
    private static final Pattern ITEM = Pattern.compile("^(\\d+)\\. ", Pattern.MULTILINE);
    private static final Pattern BULLET = Pattern.compile("\\n +- ");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final String NO_TEST = "none: ";

    /**
     * A numbered item.
     *
     * @param number its number
     * @param bullets what is listed below its rule
     */
    private record Item(int number, List<String> bullets) {
    }

    private static List<Item> items() throws IOException {
        Path document = Path.of(System.getProperty("basedir", "")).resolve("CONTRACT.md");
        String text = Files.readString(document);
        List<Item> items = new ArrayList<>();
        Matcher start = ITEM.matcher(text);
        boolean more = start.find();
        while (more) {
            int number = Integer.parseInt(start.group(1));
            int from = start.end();
            more = start.find();
            items.add(new Item(number, bullets(text.substring(from,
                    more ? start.start() : text.length()))));
        }
        return items;
    }

    /** An item ends with a blank line, if there is a heading before the next one. */
    private static List<String> bullets(String item) {
        return BULLET.splitAsStream(item.split("\n\n")[0]).skip(1).toList();
    }

    @Test
    void itemsAreNumberedWithoutAGap() throws IOException {
        List<Integer> numbers = items().stream().map(Item::number).toList();
        assertFalse(numbers.isEmpty());
        assertEquals(IntStream.rangeClosed(1, numbers.size()).boxed().toList(), numbers);
    }

    @Test
    void everyItemHasATestOrAReasonToHaveNone() throws IOException {
        for (Item item : items()) {
            assertFalse(item.bullets().isEmpty(), () -> "nothing below item " + item.number());
            for (String bullet : item.bullets()) {
                assertTrue(bullet.startsWith(NO_TEST) || bullet.startsWith("`"),
                        () -> "item " + item.number() + ": " + bullet);
            }
        }
    }

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Item item : items()) {
            for (String bullet : item.bullets()) {
                if (!bullet.startsWith(NO_TEST)) {
                    missingOf(bullet).forEach(name -> missing.add(item.number() + ": " + name));
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    /** The names in a bullet, of a class and of methods of it, that are not those of tests. */
    private static List<String> missingOf(String bullet) {
        List<String> names =
                NAME.matcher(bullet).results().map(match -> match.group(1)).toList();
        List<String> tests = testsOf(names.get(0));
        if (tests.isEmpty()) {
            return names.subList(0, 1);
        }
        return names.stream().skip(1).filter(name -> !tests.contains(name)).toList();
    }

    private static List<String> testsOf(String name) {
        return PACKAGES.stream().flatMap(prefix -> find(prefix + name))
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
                .map(Method::getName).toList();
    }

    private static Stream<Class<?>> find(String name) {
        try {
            return Stream.of(
                    Class.forName(name, false, ContractDocumentTest.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            return Stream.empty();
        }
    }
}
