package org.nioselect.support;

import java.io.IOException;
import java.nio.channels.Selector;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips everything, with the reason, where the backend that the JVM was started with cannot run:
 * io_uring is forbidden in many containers.
 */
public final class BackendCondition implements ExecutionCondition {
    /** Asked once, with what the JVM was started with: tests change the property. */
    private static final ConditionEvaluationResult ANSWER = ask();

    private static ConditionEvaluationResult ask() {
        try {
            Selector.open().close();
        } catch (IOException e) {
            if (e.getMessage().contains("cannot run here")) {
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
