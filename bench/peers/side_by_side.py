#!/usr/bin/env python3
"""Puts our rows and those of the peers side by side.

usage: side_by_side.py OURS.csv PEER.csv...     prints a table; ratio: the peer's time over ours
"""
import csv
import sys

KEY = ["bench", "type", "channels", "content", "width", "height", "regime"]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def key(row):
    return tuple(row[k] for k in KEY)


def time_of(row, device):
    text = row["device_median_us"] if device else row["call_median_us"]
    return float(text) if text else None


def agree(ours, peer):
    """The same figure: exactly for integers, to a part in 10^4 for floats (their bins may differ)."""
    a, b = float(ours["figure"] or "nan"), float(peer["figure"] or "nan")
    tolerance = 1e-4 if ours["type"] == "f32" else 1e-9
    return "" if abs(a - b) <= tolerance * max(abs(a), abs(b)) else "  figures differ"


def main():
    ours = [r for r in rows(sys.argv[1]) if r["table"] == "sizes" and not r["unavailable"]]
    peers = [r for path in sys.argv[2:] for r in rows(path)]
    print(f"{'measure':10} {'type':6} {'content':9} {'size':11} {'data':5} {'ours':24} {'us':>10} "
          f"{'peer':34} {'us':>10} {'ratio':>7}")
    for row in ours:
        device = row["device"] == "vulkan"
        mine = time_of(row, device)
        for peer in (p for p in peers if key(p) == key(row)):
            theirs = time_of(peer, device)
            if mine is None or theirs is None:
                continue
            print(f"{row['bench']:10} {row['type'] + 'x' + row['channels']:6} {row['content']:9} "
                  f"{row['width'] + 'x' + row['height']:11} {row['regime']:5} "
                  f"{row['device'] + ' ' + row['variant']:24} {mine:10.1f} "
                  f"{peer['peer'] + ' ' + peer['variant']:34.34} {theirs:10.1f} "
                  f"{theirs / mine:7.2f}{agree(row, peer)}")


main()
