//! A process that is told something by lines, and answers by lines.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use super::reply::Reply;
use crate::error::{Error, doing};

/// A process that does not outlive this value. Its standard error is ours: what it complains of
/// is for the user.
#[derive(Debug)]
pub(super) struct Child {
    name: String,
    process: process::Child,
    input: ChildStdin,
    lines: Receiver<io::Result<String>>,
    patience: Duration,
}

impl Child {
    /// Starts the command. It may be silent for `patience` whenever an answer is due; messages
    /// call it `name`.
    pub(super) fn start(
        name: String,
        command: &mut Command,
        patience: Duration,
    ) -> Result<Self, Error> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(doing(command.get_program().display()))?;
        let input = process.stdin.take().expect("it is a pipe");
        let output = process.stdout.take().expect("it is a pipe");
        let (sender, lines) = mpsc::sync_channel(1);
        let child = Self {
            name,
            process,
            input,
            lines,
            patience,
        };
        thread::Builder::new().spawn(move || pass_on(output, &sender))?;
        Ok(child)
    }

    /// Sends a line. That nobody is there to read it is told by the next
    /// [`receive`](Self::receive), which knows more about it.
    pub(super) fn send(&mut self, line: &str) {
        let _ = writeln!(self.input, "{line}");
    }

    /// Waits for a line of the wanted form.
    pub(super) fn receive<R: Reply>(&mut self) -> Result<R, Error> {
        let line = match self.lines.recv_timeout(self.patience) {
            Ok(Ok(line)) => line,
            Ok(Err(error)) => return Err(self.failed(format_args!("its output: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.patience.as_secs_f64();
                return Err(self.failed(format_args!("no answer within {seconds} s")));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.has_ended()),
        };
        R::parse(&line).ok_or_else(|| self.failed(format_args!("unexpected answer {line:?}")))
    }

    fn has_ended(&mut self) -> Error {
        match self.end() {
            Ok(status) => self.failed(format_args!("ended too early: {status}")),
            Err(error) => self.failed(format_args!("ended too early: {error}")),
        }
    }

    fn failed(&self, how: fmt::Arguments<'_>) -> Error {
        Error::Child(format!("{}: {how}", self.name))
    }

    /// Kills and reaps the process. One that has ended by itself keeps its exit status.
    fn end(&mut self) -> io::Result<process::ExitStatus> {
        self.process.kill()?;
        self.process.wait()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // There is nobody to tell, and nothing else to try.
        let _ = self.end();
    }
}

/// Ends with the output, or when nobody wants the lines any more.
fn pass_on(output: ChildStdout, lines: &SyncSender<io::Result<String>>) {
    for line in BufReader::new(output).lines() {
        if lines.send(line).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, test_kill_process};

    use super::*;
    use crate::harmony::contender::Sample;

    const LONG: Duration = Duration::from_secs(60);

    fn start(script: &str, patience: Duration) -> Child {
        let mut command = Command::new("sh");
        Child::start("it".to_owned(), command.args(["-c", script]), patience).unwrap()
    }

    /// What goes wrong when a round is asked for.
    fn failure(script: &str, patience: Duration) -> String {
        let mut child = start(script, patience);
        child.send("round");
        let error = child.receive::<Sample>().unwrap_err();
        assert!(matches!(error, Error::Child(_)), "{error:?}");
        assert_eq!(error.exit_code(), 1);
        error.to_string()
    }

    #[test]
    fn each_line_is_answered() {
        let mut child = start("while read -r line; do echo \"$line 1 2 3\"; done", LONG);
        for _ in 0..3 {
            child.send("round");
            assert_eq!(child.receive::<Sample>().unwrap().select_now_ns, 3.0);
        }
    }

    #[test]
    fn one_that_ends_is_reported_with_its_status() {
        assert_eq!(
            failure("exit 3", LONG),
            "it: ended too early: exit status: 3"
        );
        let killed = failure("kill -9 $$", LONG);
        assert!(
            killed.starts_with("it: ended too early: signal: 9"),
            "{killed}"
        );
    }

    #[test]
    fn one_that_answers_something_else_is_reported_with_it() {
        assert_eq!(
            failure("echo Hello.; read -r line", LONG),
            "it: unexpected answer \"Hello.\""
        );
        let binary = failure("printf '\\377\\n'; read -r line", LONG);
        assert!(binary.starts_with("it: its output: "), "{binary}");
    }

    #[test]
    fn one_that_hangs_is_reported() {
        let patience = Duration::from_millis(50);
        assert_eq!(
            failure("exec sleep 60", patience),
            "it: no answer within 0.05 s"
        );
    }

    #[test]
    fn one_that_closes_its_output_and_lives_on_is_ended() {
        let failure = failure("exec >&-; exec sleep 60", LONG);
        assert!(
            failure.starts_with("it: ended too early: signal: 9"),
            "{failure}"
        );
    }

    #[test]
    fn none_outlives_its_owner() {
        let child = start("exec sleep 60", LONG);
        let pid = Pid::from_child(&child.process);
        test_kill_process(pid).expect("it runs");
        drop(child);
        test_kill_process(pid).expect_err("it has been killed and reaped");
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let mut command = Command::new("/does/not/exist/java");
        let error = Child::start("it".to_owned(), &mut command, LONG).unwrap_err();
        assert!(
            error.to_string().contains("/does/not/exist/java"),
            "{error}"
        );
    }
}
