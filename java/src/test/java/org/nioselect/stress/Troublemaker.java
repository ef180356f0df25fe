package org.nioselect.stress;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** A thread that does everything at random that may happen to its lanes, and to all loops. */
final class Troublemaker {
    private static final int LANES = 14;
    private static final int MOST_BYTES = 3_000;
    private static final AtomicInteger NEXT_VALUE = new AtomicInteger();

    private final Random random = new Random();
    private final List<SelectorLoop> loops;
    private final List<Lane> lanes = new ArrayList<>();
    private final Task<Void> task;

    Troublemaker(List<SelectorLoop> loops, Deadline end) {
        this.loops = loops;
        task = Threads.run(() -> {
            for (int i = 0; i < LANES; i++) {
                lanes.add(newLane());
            }
            while (!end.passed()) {
                disturb(random.nextInt(LANES));
            }
            for (Lane lane : lanes) {
                lane.settle();
                lane.close(random.nextBoolean());
            }
        });
    }

    /** Waits for the end of the trouble. */
    void join() throws Exception {
        task.join();
    }

    private void disturb(int index) throws Exception {
        Lane lane = lanes.get(index);
        switch (random.nextInt(24)) {
            case 0 -> anyLoop().interrupt();
            case 1 -> anyLoop().selector().wakeup();
            case 2, 3 -> lane.moveTo(anyLoop());
            case 4, 5, 6 -> lane.toggleReading();
            case 7, 8, 9 -> lane.wantWritable();
            case 10 -> lane.settle();
            case 11 -> {
                lane.settle();
                replace(index);
            }
            case 12 -> replace(index);
            default -> lane.send(random.nextInt(MOST_BYTES));
        }
    }

    private void replace(int index) throws IOException {
        lanes.get(index).close(random.nextBoolean());
        lanes.set(index, newLane());
    }

    private Lane newLane() throws IOException {
        return new Lane((byte) NEXT_VALUE.getAndIncrement(), anyLoop());
    }

    private SelectorLoop anyLoop() {
        return loops.get(random.nextInt(loops.size()));
    }
}
