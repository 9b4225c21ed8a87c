#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tally script netdev-times on crafted recordings; the expected text is that of perf 6.1.

usage: netdev_times.py TALLY
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
import trace_events  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("netdev")
SKB, DEVICE = "void * skbaddr; unsigned int len", "__data_loc char[] name"
TRACE = trace_events.Trace({
    "net:net_dev_queue": f"{SKB}; {DEVICE}", "net:net_dev_xmit": f"{SKB}; int rc; {DEVICE}", "net:netif_receive_skb": f"{SKB}; {DEVICE}",
    "net:netif_rx": f"{SKB}; {DEVICE}", "skb:consume_skb": "void * skbaddr", "skb:kfree_skb": "void * skbaddr; void * location",
    "skb:skb_copy_datagram_iovec": "void * skbaddr; int len", "napi:napi_poll": "void * napi; __data_loc char[] dev_name",
    "irq:irq_handler_entry": f"int irq; {DEVICE}", "irq:irq_handler_exit": "int irq; int ret",
    "irq:softirq_entry": "unsigned int vec", "irq:softirq_exit": "unsigned int vec", "irq:softirq_raise": "unsigned int vec"})
QUEUE, XMIT, RECEIVE, RX, CONSUME, FREE, COPY, POLL, IRQ, IRQ_EXIT, SOFT, SOFT_EXIT, RAISE = TRACE.numbers
SENDS = "   dev    len      Qdisc               netdevice             free\n"


def times(words, *events, step=1000):
    """Print the report of events that are `step` ns apart. A number before an event's name is its thread."""
    records = []
    for at, (pid, name, *values) in enumerate(one if isinstance(one[0], int) else (1, *one) for one in events):
        records.append(TRACE.event(name, 1000000000 + at * step, *values, pid=pid))
    path = os.path.join(WORK, "net.data")
    with open(path, "wb") as file:
        file.write(TRACE.file_bytes(records, ((1, "one"), (2, "two\x1b"))))
    done = tap.run(TALLY, "script", "-i", path, "netdev-times", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sent_packets():
    sent = ((QUEUE, 16, 5, "eth0"), (XMIT, 16, 5, 16, "eth0"), (XMIT, 16, 5, 0, "eth0"), (CONSUME, 16), (QUEUE, 17, 123456, "lo\n"),
            (XMIT, 17, 5, 0, "lo"), (FREE, 17, 0), (QUEUE, 18, 1, "eth0"), (FREE, 18, 0), (QUEUE, 19, 1, "eth0"), (CONSUME, 19))
    rows = ["   eth0     5      1.000000sec        2.469msec             1.235msec\n",
            "   lo\\n 123456      1.004938sec        1.235msec             1.235msec\n"]
    tap.same(times([], *sent, step=1234567), SENDS + "".join(rows), "sent")
    tap.same(times(["tx", "dev=eth"], *sent, step=1234567), SENDS + rows[0], "of a device")
    tap.same(times(["rx"], *sent), "", "only received packets")
    tap.same(times(["debug", "dev=none"], *sent), SENDS + """\
debug buffer status
----------------------------
xmit Qdisc:remain:1 overflow:0
xmit netdevice:remain:0 overflow:0
receive:remain:0 overflow:0
""", "queues")


def test_a_reused_buffer_finds_the_last_packet():
    sent = times(["tx"], (QUEUE, 1, 1, "a"), (QUEUE, 1, 2, "b"), (XMIT, 1, 0, 0, "b"), (CONSUME, 1), (XMIT, 1, 0, 0, "a"), (CONSUME, 1))
    tap.same([line.split()[:2] for line in sent.splitlines()[1:]], [["b", "2"], ["a", "1"]], "order")


RECEIVED = ((IRQ, 7, "eth0"), (RAISE, 3), (IRQ_EXIT, 7, 1), (IRQ, 8, "lo"), (RX, 0xffff8881abcdef00, 86, "lo"), (IRQ_EXIT, 8, 1),
            (IRQ, 9, "disk"), (IRQ_EXIT, 9, 1), (SOFT, 1), (SOFT, 3), (RECEIVE, 32, 86, "eth0"), (POLL, 9, "eth0"), (RECEIVE, 33, 100, "lo"),
            (RECEIVE, 34, 5, "lo"), (POLL, 9, "lo"), (SOFT_EXIT, 1), (SOFT_EXIT, 3), (2, COPY, 32, 86), (1, FREE, 34, 0))
HUNK = """\
1.000000sec cpu=0
  irq_entry(+0.000msec irq=7:eth0)
         |
  irq_entry(+0.003msec irq=8:lo)
         |
         |---netif_rx(+0.004msec skb=ffff8881abcdef00)
         |
  softirq_entry(+0.009msec)
         |
         |---netif_receive_skb(+0.010msec skb=20 len=86)
         |            |
         |      skb_copy_datagram_iovec(+0.017msec 2:two\\x1b)
         |
  napi_poll_exit(+0.011msec eth0)
         |
         |---netif_receive_skb(+0.012msec skb=21 len=100)
         |
         |---netif_receive_skb(+0.013msec skb=22 len=5)
         |            |
         |      skb_copy_datagram_iovec(+0.018msec 1:one)
         |
  napi_poll_exit(+0.014msec lo)

"""


def test_received_packets():
    tap.same(times(["rx"], *RECEIVED), HUNK, "received")
    tap.same(times([], *RECEIVED), HUNK + SENDS, "received and sent")
    tap.same(times(["rx", "dev=lo"], *RECEIVED), HUNK, "device of an interrupt")
    tap.same(times(["rx", "dev=disk"], *RECEIVED), "", "no packets for this device")


def test_incomplete_interrupts():
    tap.same(times(["rx"], (IRQ_EXIT, 1, 1), (SOFT_EXIT, 3), (RX, 1, 1, "lo"), (POLL, 9, "lo"), (RECEIVE, 1, 1, "lo"), (SOFT, 3), (SOFT_EXIT, 3)),
             "", "no interrupt")
    text = times(["rx"], (IRQ, 7, "eth0"), (RX, 5, 1, "eth0"), (IRQ, 8, "lo"), (RX, 6, 1, "lo"), (IRQ_EXIT, 9, 1), (SOFT, 3), (SOFT_EXIT, 3))
    assert "irq=7:eth0" in text and "irq=8" not in text, text


def test_queues_are_limited():
    text = times(["tx", "debug"], *((QUEUE, at, 1, "lo") for at in range(65539)), (XMIT, 2, 1, 0, "lo"), (XMIT, 3, 1, 0, "lo"))
    assert "xmit Qdisc:remain:65535 overflow:3\nxmit netdevice:remain:1 overflow:0\n" in text, text[-300:]


def test_unknown_arguments():
    done = tap.run(TALLY, "script", "netdev-times", "both")
    assert done.returncode == 1 and "not 'both'" in done.stderr, done.stderr


tap.main(__name__)
