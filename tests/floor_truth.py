#!/usr/bin/env python3
"""Floors, transfers, interruptions and backchannels of an RTTM, written from their definitions alone.

    python3 tests/floor_truth.py FILE.rttm BACKCHANNEL_SECS SIMULTANEOUS_SECS OVERLAP_SECS

Prints {"floors": [[speaker, start, end]], "transfers": [[start, offset]], "interruptions": [start], "backchannels": [start]}.
"""
import json
import sys


def utterances(path):
    with open(path, encoding="utf-8") as lines:
        fields = [line.split() for line in lines if line.startswith("SPEAKER")]
    return sorted((float(f[3]), round(float(f[3]) + float(f[4]), 3), f[7]) for f in fields)


def inside(short, long):
    return short[2] != long[2] and long[0] < short[0] and short[1] < long[1]


def main(path, backchannel_secs, simultaneous_secs, overlap_secs):
    said = utterances(path)
    short = [u for u in said if u[1] - u[0] <= backchannel_secs and any(inside(u, other) for other in said)]
    holding = [u for u in said if not any(inside(u, other) for other in said)]
    floors = []
    for start, end, speaker in holding:
        if floors and floors[-1][0] == speaker:
            floors[-1][2] = max(end, floors[-1][2])
        else:
            floors.append([speaker, start, end])
    transfers, interruptions = [], []
    for (_, before_start, before_end), (_, start, end) in zip(floors, floors[1:]):
        if start - before_start < simultaneous_secs:
            continue
        transfers.append([start, round(start - before_end, 3)])
        if before_end - start >= overlap_secs and end > before_end:
            interruptions.append(start)
    found = {"floors": floors, "transfers": transfers, "interruptions": interruptions, "backchannels": [u[0] for u in short]}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:5]))
