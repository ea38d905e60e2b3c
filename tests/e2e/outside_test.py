"""Bytes from peers outside the program: a finding keeps them, and replays when the peer is gone.

    outside_test.py HEDDLE SCRATCH
"""
import os
import random
import socket
import tempfile
import threading
import time

import tool

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "outside_request.cpp")


class Server:
    """Answers every connection that says hello: the nth with the nth line, then the last one for ever."""

    def __init__(self, lines, path=None):
        self.lines, self.served = lines, 0
        if path is None:
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.where = str(self.listener.getsockname()[1])
        else:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(path)
            self.listener.listen(16)
            self.where = path
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                try:
                    if not self.hear(peer):
                        continue
                    line = self.lines[min(self.served, len(self.lines) - 1)]
                    self.served += 1
                    self.answer(peer, line.encode())
                    peer.recv(64)
                except OSError:
                    pass

    def hear(self, peer):
        return peer.recv(64)

    def answer(self, peer, line):
        peer.sendall(line)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(tool.HUNG_AFTER)


def free_port():
    """One that nobody gets who leaves the choice to the system: between two runs it is nobody's."""
    for port in random.sample(range(20000, 32000), 1000):
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
    raise AssertionError("no port is free")


class Client:
    """Connects again and again, says its line, and waits for the end."""

    def __init__(self, line):
        self.where = str(free_port())
        self.line, self.served, self.stopped = line, 0, False
        self.thread = threading.Thread(target=self.talk, daemon=True)
        self.thread.start()

    def talk(self):
        while not self.stopped:
            try:
                with socket.create_connection(("127.0.0.1", int(self.where)), timeout=1) as peer:
                    peer.sendall(self.line.encode())
                    while peer.recv(64):
                        pass
            except OSError:
                time.sleep(0.002)

    def stop(self):
        self.stopped = True
        self.thread.join(tool.HUNG_AFTER)


class PipeServer:
    """Says its line through a named pipe to everybody who says hello through another."""

    def __init__(self, line, where):
        self.line, self.where, self.served, self.stopped = line, where, 0, False
        os.mkfifo(where + ".in")
        os.mkfifo(where + ".out")
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.stopped:
            with open(self.where + ".out", "rb") as hello:
                if not hello.read():
                    continue
            self.served += 1
            with open(self.where + ".in", "wb") as answer:
                answer.write(self.line.encode())

    def stop(self):
        self.stopped = True
        with open(self.where + ".out", "wb"):
            pass
        self.thread.join(tool.HUNG_AFTER)
        os.remove(self.where + ".in")
        os.remove(self.where + ".out")


class Together(Server):
    """Hears two at a time before it answers either, so that it puts them in no order."""

    def serve(self):
        while True:
            try:
                pair = [self.listener.accept()[0] for _ in range(2)]
            except OSError:
                return
            for peer in pair:
                self.hear(peer)
            for peer in pair:
                try:
                    self.answer(peer, self.lines[0].encode())
                except OSError:
                    pass
                peer.close()


class Passer(Server):
    """Passes a pipe, a socket, a file and an eventfd; the line is behind them, in three parts."""

    def __init__(self, lines, path, device=None):
        self.device = device
        super().__init__(lines, path)

    def answer(self, peer, line):
        reader, writer = os.pipe()
        os.write(writer, line[:2])
        os.close(writer)
        ours, theirs = socket.socketpair()
        ours.sendall(line[2:] if self.device else line[2:4])
        ours.close()
        with open(self.device, "rb") if self.device else tempfile.TemporaryFile() as file:
            if not self.device:
                file.write(b"not this" + line[4:])
                file.seek(len(b"not this"))
            counter = os.eventfd(len(line))
            socket.send_fds(peer, [b"!"], [reader, theirs.fileno(), file.fileno(), counter])
        theirs.close()
        os.close(reader)
        os.close(counter)


class Receiver(Server):
    """Says its line through the pipe that it is given."""

    def hear(self, peer):
        self.said, given, _, _ = socket.recv_fds(peer, 64, 1)
        self.pipe = given[0] if given else None
        return self.said

    def answer(self, peer, line):
        os.write(self.pipe, line)
        os.close(self.pipe)


class Nobody:
    """The program starts its peer itself."""
    where, served = "", 0

    def stop(self):
        pass


class Script:
    """What the program starts ends with that status, but with another one later."""
    served = 0

    def __init__(self, where, status):
        self.where = where
        self.write(status)

    def write(self, status):
        with open(self.where, "w", encoding="utf-8") as file:
            file.write(f"echo x >> {self.where}.log; exit {status}\n")

    def stop(self):
        self.write(3)


class OutsideTest(tool.ToolTest):
    def find(self, how, server, uncontrolled=None, told="receive"):
        """The finding, found while the server is there and replayed when it is gone."""
        program = self.tool.compile(SOURCE)
        ended = self.search(program, "--strategy=random", "--runs=200", "--races=off", arguments=[how, server.where])
        served = server.served
        server.stop()
        self.assertEqual(ended.code, tool.FINDING, ended.output)
        finding = ended.result["findings"][0]
        self.assertEqual((finding["kind"], finding["replayed"]), ("assertion", True), ended.output)
        self.assertTrue(finding["schedule_dependent"])
        if uncontrolled is not None:
            self.assertIn(uncontrolled, [one["what"] for one in ended.result["uncontrolled"]])
        # Whoever is fed asks nobody: examining the failure took no connection more than the runs.
        self.assertLessEqual(served, ended.result["runs"], ended.output)
        for backend in tool.BACKENDS:
            again = self.tool.call("replay", finding["id"], "--times=2", f"--backend={backend}", out=self.out)
            self.assertEqual(again.code, tool.FINDING, again.output)
            self.assertEqual((again.result["identical"], again.result["status"]), (2, "reproduced"), again.output)
        with open(os.path.join(self.out, finding["schedule"]), encoding="utf-8") as file:
            schedule = file.read()
        self.assertIn(f"\ninput {told} ", schedule)
        return program, finding

    def test_a_request_over_tcp(self):
        self.find("tcp", Server(["fine\n", "break\n"]))

    def test_a_race_of_threads_that_ask_somebody_replays_when_he_is_gone(self):
        program = self.tool.compile(os.path.join(os.path.dirname(SOURCE), "outside_race.cpp"))
        server = Together(["fine\n"])
        ended = self.search(program, "--strategy=random", "--runs=20", arguments=[server.where])
        server.stop()
        self.assertEqual(ended.code, tool.FINDING, ended.output)
        finding, = ended.result["findings"]
        self.assertEqual((finding["kind"], finding["replayed"]), ("race", True), ended.output)
        for backend in tool.BACKENDS:
            again = self.tool.call("replay", finding["id"], "--times=2", f"--backend={backend}", out=self.out)
            self.assertEqual((again.code, again.result["identical"]), (tool.FINDING, 2), again.output)

    def test_a_request_that_poll_waits_for(self):
        self.find("poll", Server(["fine\n", "break\n"]))

    def test_a_request_that_epoll_waits_for(self):
        self.find("epoll", Server(["fine\n", "break\n"]))

    def test_a_request_through_a_stream(self):
        self.find("stream", Server(["fine\n", "break\n"]))

    def test_a_request_through_named_pipes_that_are_gone_later(self):
        self.find("fifo", PipeServer("break\n", os.path.join(self.out, "pipe")))

    def test_what_ports_and_options_and_queues_say_decides(self):
        _, finding = self.find("ask", Server(["fine\n", "break\n"]))
        with open(os.path.join(self.out, finding["schedule"]), encoding="utf-8") as file:
            schedule = file.read()
        for kind in ("address", "option", "queued"):
            self.assertIn(f"\ninput {kind} ", schedule)

    def test_a_request_behind_descriptors_that_are_passed(self):
        where = os.path.join(self.out, "socket")
        _, finding = self.find("pass", Passer(["fine\n", "break\n"], where))
        # Also on another build, off the recording's road.
        other = self.tool.compile(SOURCE, flags=["-O2"], name="outside_request_o2")
        again = self.tool.call("replay", finding["id"], "--", other, "pass", where, out=self.out)
        self.assertEqual((again.code, again.result["status"]), (tool.FINDING, "reproduced"), again.output)

    def test_a_device_that_is_passed_is_named(self):
        where = os.path.join(self.out, "socket")
        what = "a device, directory or epoll set from outside (SCM_RIGHTS)"
        self.find("pass", Passer(["fine\n", "break\n"], where, "/dev/null"), uncontrolled=what)

    def test_a_replay_does_not_ask_a_peer_who_now_says_something_else(self):
        where = os.path.join(self.out, "socket")
        _, finding = self.find("unix", Server(["fine\n", "break\n"], where))
        os.remove(where)
        other = Server(["quite another thing\n"], where)
        again = self.tool.call("replay", finding["id"], "--times=2", out=self.out)
        other.stop()
        self.assertEqual((again.code, again.result["identical"]), (tool.FINDING, 2), again.output)
        self.assertEqual(other.served, 0)

    def test_a_request_through_a_pipe_that_the_server_is_given(self):
        self.find("give", Receiver(["fine\n", "break\n"], os.path.join(self.out, "socket")))

    def test_a_request_by_a_program_that_is_started(self):
        self.find("spawn", Nobody())

    def test_a_request_by_a_program_that_is_started_while_a_thread_waits_for_it(self):
        self.find("spawn-early", Nobody())

    def test_how_a_program_that_was_started_ended(self):
        for how in ("system", "popen", "spawn", "any", "id", "polled"):
            with self.subTest(how=how):
                script = Script(os.path.join(self.out, "script"), 7)
                program, finding = self.find("status-" + how, script, told="child")
                # It is started in a replay, too: what it does elsewhere is needed there.
                os.remove(script.where + ".log")
                again = self.tool.call("replay", finding["id"], out=self.out)
                self.assertEqual(again.code, tool.FINDING, again.output)
                self.assertTrue(os.path.exists(script.where + ".log"))
                other = self.tool.compile(SOURCE, flags=["-O2"], name="outside_request_o2")
                again = self.tool.call("replay", finding["id"], "--", other, "status-" + how, script.where, out=self.out)
                self.assertEqual((again.code, again.result["status"]), (tool.FINDING, "reproduced"), again.output)
                fine = self.search(program, "--strategy=random", "--runs=20", "--races=off",
                                   arguments=["status-" + how, script.where])
                self.assertEqual(fine.code, tool.FINE, fine.output)

    def test_a_child_that_waits_for_another_thread_stops_nobody(self):
        program = self.tool.compile(os.path.join(os.path.dirname(SOURCE), "wait_for_child.cpp"))
        ended = self.search(program, "--strategy=random", "--runs=4")
        self.assertEqual((ended.code, ended.result["runs"]), (tool.FINE, 4), ended.output)

    def test_a_request_that_is_too_long_to_record_says_so(self):
        program = self.tool.compile(SOURCE)
        server = Server(["x" * (5 << 20) + "break\n"])
        ended = self.search(program, "--strategy=random", "--runs=60", "--races=off", arguments=["flood", server.where])
        server.stop()
        self.assertEqual(ended.code, tool.FINDING, ended.output)
        finding = ended.result["findings"][0]
        self.assertEqual((finding["kind"], finding["replayed"]), ("assertion", False), ended.output)
        words = " ".join(ended.output.split())
        self.assertIn("bytes that came later are missing", words)
        self.assertIn("more than 4 MB from outside the program", [one["what"] for one in ended.result["uncontrolled"]])
        again = self.tool.call("replay", finding["id"], out=self.out)
        self.assertEqual(again.code, tool.ENVIRONMENT, again.output)
        self.assertIn("bytes that came later are missing", " ".join(again.output.split()))

    def test_a_client_from_outside(self):
        self.find("serve", Client("break\n"))

    def test_a_request_over_a_unix_socket_also_on_another_build(self):
        _, finding = self.find("unix", Server(["fine\n", "break\n"], os.path.join(self.out, "socket")))
        other = self.tool.compile(SOURCE, flags=["-O2"], name="outside_request_o2")
        again = self.tool.call("replay", finding["id"], "--", other, "unix", os.path.join(self.out, "socket"), out=self.out)
        self.assertEqual(again.code, tool.FINDING, again.output)
        self.assertEqual(again.result["status"], "reproduced", again.output)


if __name__ == "__main__":
    tool.main()
