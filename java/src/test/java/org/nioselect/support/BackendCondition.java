package org.nioselect.support;

import java.io.IOException;
import java.nio.channels.Selector;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips everything, with the reason, where the JVM was started with io_uring and that cannot run:
 * it is forbidden in many containers. Any other backend that cannot run here is a failure.
 */
public final class BackendCondition implements ExecutionCondition {
    /** Asked once, with what the JVM was started with: tests change the property. */
    private static final ConditionEvaluationResult ANSWER = ask();

    private static ConditionEvaluationResult ask() {
        try {
            Selector.open().close();
        } catch (IOException e) {
            if ("io_uring".equals(System.getProperty("nioselect.backend"))
                    && e.getMessage().contains("cannot run here")) {
                return ConditionEvaluationResult.disabled(e.getMessage());
            }
        }
        return ConditionEvaluationResult.enabled("the backend can run here");
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return ANSWER;
    }
}
