#!/usr/bin/env python3
"""What the command draws on a terminal, and what it does not send into a pipe.

  tests/programs/terminal_test.py PROGRAM

Runs the command on a pseudo-terminal of a given width and follows what it draws: no line may
be longer than the width, and no bar may be left on the screen.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata
import unittest

from clean_start import environment

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = 60  # only a hang takes that long
LONG = ["train", "demo", "-o", "m.safetensors", "--model", "gcn", "--hidden", "4",
        "--threads", "1", "--epochs", "1000000"]
SHORT = ["train", "demo", "-o", "m.safetensors", "--model", "gcn", "--epochs", "20"]
BAR = re.compile(r"[█░]{6}|\[[#-]{6}|^model")


class Screen:
    """A terminal that knows what the command uses: \\r, \\n, ESC [K and ESC [...m."""

    def __init__(self):
        self.lines = [""]  # finished ones, and that of the cursor
        self.column = 0
        self.longest = 0
        self.seen = []  # every state of the line of the cursor before it is rubbed out
        self.styles = []
        self.unknown = []

    def write(self, text):
        for token in re.findall(r"\033\[[0-9;?]*[A-Za-z]|[^\033]|\033", text):
            line = self.lines[-1]
            if token == "\r":
                self.column = 0
            elif token == "\n":
                self.lines.append("")
                self.column = 0
            elif token == "\033[K":
                self.seen.append(line)
                self.lines[-1] = line[: self.column]
            elif re.fullmatch(r"\033\[[0-9;]*m", token):
                self.styles.append(token)
            elif token < " " or token.startswith("\033"):
                self.unknown.append(token)
            else:
                self.lines[-1] = line[: self.column] + token + line[self.column + 1 :]
                self.column += 1
            self.longest = max(self.longest, columns(self.lines[-1]))

    def bars(self):
        return [line for line in self.seen if line]


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Run:
    """A command with stderr, and stdout if wanted, on a pseudo-terminal."""

    def __init__(self, arguments, width, *, stdout_too=False, **settings):
        self.folder = tempfile.TemporaryDirectory()
        self.screen = Screen()
        self.master, slave = pty.openpty()
        self.resize(width)
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stderr=slave,
            stdout=slave if stdout_too else subprocess.PIPE, cwd=self.folder.name,
            env=environment(**settings))
        os.close(slave)

    def resize(self, width):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))

    def follow(self, until):
        """Reads until it is so, or the command has ended."""
        end = time.monotonic() + SECONDS
        while not until(self.screen):
            assert time.monotonic() < end, self.screen.lines
            if not select.select([self.master], [], [], 1.0)[0]:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the other side is closed
                data = b""
            if not data:
                return
            # A read may end within a character or a sequence; the rest comes at once.
            while True:
                try:
                    text = data.decode()
                    if not re.search(r"\033(\[[0-9;?]*)?$", text):
                        break
                except UnicodeDecodeError:
                    pass
                data += os.read(self.master, 1)
            self.screen.write(text.replace("\r\n", "\n"))

    def end(self):
        self.follow(lambda screen: False)
        code = self.process.wait(SECONDS)
        stdout = ""
        if self.process.stdout:
            with self.process.stdout as stream:
                stdout = stream.read().decode()
        os.close(self.master)
        self.folder.cleanup()
        return code, stdout


def has_bars(n):
    return lambda screen: len(screen.bars()) >= n


class Terminal(unittest.TestCase):
    def interrupted(self, width, **settings):
        run = Run(LONG, width, **settings)
        run.follow(has_bars(3))
        run.process.send_signal(signal.SIGINT)
        code, stdout = run.end()
        self.assertEqual((code, stdout), (130, ""))
        self.assertEqual(run.screen.unknown, [])
        return run.screen

    def test_no_bar_is_longer_than_the_terminal_and_none_is_left(self):
        for width in (20, 40, 80, 200):
            with self.subTest(width=width):
                screen = self.interrupted(width)
                bars = screen.bars()
                self.assertTrue(all(columns(bar) < width for bar in bars), bars)
                self.assertTrue(bars[-1].startswith("model"), bars)
                self.assertFalse([line for line in screen.lines if BAR.search(line)])
                self.assertEqual(screen.lines[-1], "")
                self.assertIn("interrupted", screen.lines[-2])
        self.assertRegex(bars[-1], r"█*░+ +\d+% \d+/1000000 epochs, \d+ epochs/s, [\d:]+ left")

    def test_without_utf8_it_is_ascii(self):
        for screen in (self.interrupted(80, LC_ALL="C"), self.interrupted(80, LC_ALL="POSIX")):
            self.assertTrue(all(bar.isascii() for bar in screen.bars()))
            self.assertRegex(screen.bars()[-1], r"^model \[#*-+\] ")

    def test_a_new_size_counts_at_once(self):
        run = Run(LONG, 150)
        run.follow(has_bars(3))
        run.resize(30)
        n = len(run.screen.bars())
        run.follow(has_bars(n + 4))
        run.process.send_signal(signal.SIGTERM)
        self.assertEqual(run.end()[0], 130)
        bars = run.screen.bars()
        self.assertTrue(all(columns(bar) < 30 for bar in bars[n + 2 :]), bars)
        self.assertTrue(any(columns(bar) > 60 for bar in bars[:n]), bars)

    def run_long_enough(self, n_epochs, shown, arguments):
        """Runs with more and more epochs until a bar is seen: a fast machine is done before
        the first one. Returns the run and what it wrote to stdout."""
        for _ in range(6):
            run = Run([*arguments, "--epochs", str(n_epochs)], 200)
            code, stdout = run.end()
            self.assertEqual(code, 0)
            if any(re.search(shown, bar) for bar in run.screen.bars()):
                return run, stdout
            n_epochs *= 3
        self.fail(f"no bar with {shown} in {n_epochs} epochs")

    def test_what_a_training_has_come_to_is_in_the_bar_and_not_in_the_log(self):
        arguments = [*LONG[:-2], "--hidden", "16"]
        run, _ = self.run_long_enough(
            3000, r"epochs, loss \d\.\d+, validation \d+\.\d %", arguments)
        self.assertFalse([line for line in run.screen.lines if ": epoch " in line])
        run = Run([*arguments, "--epochs", "3000", "-v"], 200)
        self.assertEqual(run.end()[0], 0)
        self.assertEqual(len([line for line in run.screen.lines if ": epoch " in line]), 10)

    def test_of_an_evaluation_the_runs_are_counted(self):
        for threads in ("1", "2"):
            run, stdout = self.run_long_enough(
                1500, "^evaluating", ["evaluate", "demo", "--model", "gcn", "--seeds", "4",
                                      "--samples", "1", "--threads", threads])
            self.assertRegex(stdout, "^demo, misclassification")
            for bar in run.screen.bars():
                self.assertRegex(bar, r"^evaluating .* \d/4 runs, demo, misclassification")
            # No message is on the line of a bar.
            self.assertTrue(all(line.startswith("opine: ") for line in run.screen.lines[:-1]),
                            run.screen.lines)
            self.assertEqual(run.screen.lines[-1], "")

    def test_neither_quiet_nor_a_dumb_terminal_has_a_bar(self):
        for extra, settings in ((["-q"], {}), ([], {"TERM": "dumb"}), ([], {"TERM": ""})):
            run = Run([*LONG[:-1], "3000", *extra], 80, **settings)
            self.assertEqual(run.end()[0], 0)
            self.assertEqual(run.screen.bars(), [])
            n_steps = len([line for line in run.screen.lines if ": epoch " in line])
            self.assertEqual(n_steps, 0 if extra else 10)
            if extra:
                self.assertEqual(run.screen.lines, [""])

    def test_the_second_signal_ends_at_once_and_leaves_no_bar(self):
        run = Run(LONG, 80)
        run.follow(has_bars(2))
        os.kill(run.process.pid, signal.SIGSTOP)
        run.process.send_signal(signal.SIGINT)
        run.process.send_signal(signal.SIGTERM)
        os.kill(run.process.pid, signal.SIGCONT)
        self.assertIn(run.end()[0], (-signal.SIGTERM, -signal.SIGINT))
        self.assertEqual(run.screen.lines[-1], "")


class Style(unittest.TestCase):
    def styles(self, arguments, **settings):
        run = Run(arguments, 100, stdout_too=True, **settings)
        self.assertEqual(run.end()[0], 0)
        self.assertEqual(run.screen.unknown, [])
        return run.screen

    def test_headings_are_bold_on_a_terminal(self):
        for arguments in (["data", "list"], ["data", "info", "demo"], SHORT):
            screen = self.styles(arguments)
            self.assertIn("\033[1m", screen.styles)
            self.assertEqual(screen.styles[-1], "\033[0m")
            plain = self.styles(arguments, NO_COLOR="1")
            self.assertEqual(plain.styles, [])
            self.assertEqual(plain.lines, screen.lines)
            self.assertEqual(self.styles(arguments, TERM="dumb").styles, [])
            self.assertTrue(self.styles(arguments, NO_COLOR="").styles)

    def test_an_archive_is_not_for_a_terminal(self):
        run = Run(["data", "convert", "demo", "-o", "-"], 100, stdout_too=True)
        self.assertEqual(run.end()[0], 2)
        self.assertIn("a binary format", run.screen.lines[0])


class Pipe(unittest.TestCase):
    def test_a_pipe_gets_plain_text(self):
        arguments = ["/dev/null" if word == "m.safetensors" else word for word in SHORT]
        done = subprocess.run([PROGRAM, *arguments], capture_output=True,
                              env=environment(), check=True)
        self.assertNotIn(b"\033", done.stdout + done.stderr)
        self.assertNotIn(b"\r", done.stdout + done.stderr)
        self.assertEqual(done.stderr.count(b": epoch "), 10)

    def test_a_reader_that_has_seen_enough_ends_it_quietly(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, *SHORT, "-q"], cwd=folder, stdout=subprocess.DEVNULL,
                           env=environment(), check=True)
            predict = subprocess.Popen([PROGRAM, "predict", "m.safetensors", "demo"],
                                       cwd=folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment())
            self.assertTrue(predict.stdout.readline().startswith(b"node,"))
            predict.stdout.close()
            self.assertEqual(predict.wait(SECONDS), -signal.SIGPIPE)
            self.assertEqual(predict.stderr.read(), b"")
            predict.stderr.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
